#include "cli/commands/backfill_progress.hpp"

#include "cli/connection/poll_backoff.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>

namespace carillon::cli {

namespace {

constexpr std::int64_t bar_width = 20;
constexpr std::chrono::seconds line_distance{10};

volatile std::sig_atomic_t was_interrupted = 0;

void note_interrupt(int) { was_interrupted = 1; }

/// Ctrl-C is noted and ends nothing, for as long as this lives.
class InterruptWatch {
 public:
  InterruptWatch() {
    was_interrupted = 0;
    struct sigaction noting{};
    noting.sa_handler = note_interrupt;
    ::sigaction(SIGINT, &noting, &before_);
  }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch() { ::sigaction(SIGINT, &before_, nullptr); }

  [[nodiscard]] static bool has_seen() { return was_interrupted != 0; }

 private:
  struct sigaction before_{};
};

std::string bar_text(std::int64_t done, std::int64_t total, const Paint& paint) {
  const std::int64_t full = total <= 0 ? bar_width : std::clamp<std::int64_t>(done * bar_width / total, 0, bar_width);
  std::string text;
  for (std::int64_t i = 0; i < bar_width; ++i)
    text += paint.has_utf8() ? (i < full ? "█" : "░") : (i < full ? "#" : ".");
  return text + "  ";
}

/// What is shown while somebody waits.
class Display {
 public:
  explicit Display(Session& session)
      : console_{session.console},
        paint_{Paint::of(console_, Stream::error, ColourChoice::automatic)},
        has_bar_{console_.is_terminal(Stream::error)} {}

  void show(const client::Backfill& backfill) {
    const std::string text = fmt::format("{}  {}", printable(backfill.id), progress_text(backfill, paint_, has_bar_));
    if (has_bar_) {
      // Only what changed is drawn; the rest of an older, longer line is cleared.
      if (text != shown_) console_.write_error("\r" + paint_.signs(text) + "\x1b[K");
      shown_ = text;
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (!shown_.empty() && now - shown_at_ < line_distance) return;
    console_.write_error(paint_.signs(text) + '\n');
    shown_ = text;
    shown_at_ = now;
  }

  void end() {
    if (has_bar_ && !shown_.empty()) console_.write_error("\n");
  }

 private:
  Console& console_;
  Paint paint_;
  bool has_bar_;
  std::string shown_;
  std::chrono::steady_clock::time_point shown_at_;
};

ExitCode ended(const client::Backfill& backfill, Session& session) {
  const bool is_completed = backfill.state == "completed";
  session.console.write_error(fmt::format("{} is {}: {} of {} started\n", printable(backfill.id),
                                          printable(backfill.state), backfill.started, backfill.total));
  return is_completed ? ExitCode::ok : ExitCode::failed;
}

ExitCode left_running(const client::Backfill& backfill, Session& session) {
  const std::string name = fmt::format("{} {}", printable(backfill.schedule), printable(backfill.id));
  session.console.write_error(fmt::format(
      "the backfill continues; see it: carillon backfill show {} - cancel it: carillon backfill cancel {}\n", name,
      name));
  return ExitCode::interrupted;
}

}  // namespace

std::string progress_text(const client::Backfill& backfill, const Paint& paint, bool has_bar) {
  return fmt::format("{}{}/{} done · {} started{}", has_bar ? bar_text(backfill.done, backfill.total, paint) : "",
                     backfill.done, backfill.total, backfill.started, backfill.state == "paused" ? " · paused" : "");
}

Result<ExitCode> wait_for_backfill(Client& client, const client::Backfill& backfill, Session& session) {
  const InterruptWatch watch;
  Display display{session};
  PollBackoff backoff;
  for (;;) {
    const auto answer = client.get_backfill(backfill);
    if (InterruptWatch::has_seen()) {
      display.end();
      return left_running(backfill, session);
    }
    if (answer) {
      backoff.note_success();
      const client::Backfill& now = answer->value;
      display.show(now);
      if (now.state != "running" && now.state != "paused") {
        display.end();
        return ended(now, session);
      }
    } else if (answer.error().rule != "unreachable" || !backoff.may_retry()) {
      display.end();
      return std::unexpected(answer.error());
    }
    static_cast<void>(backoff.pause());
  }
}

}  // namespace carillon::cli
