#include "cli/commands/run_following.hpp"

#include "cli/connection/log_reading.hpp"
#include "cli/connection/poll_backoff.hpp"
#include "cli/display/item_display.hpp"
#include "cli/display/run_display.hpp"
#include "cli/terminal/paint.hpp"
#include "cli/terminal/printable.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace carillon::cli {

namespace {

namespace json = boost::json;
using SteadyTime = std::chrono::steady_clock::time_point;

class Following {
 public:
  Following(Client& client, const client::Run& run, const FollowOptions& options, Session& session)
      : client_{client},
        run_id_{run.id},
        namespace_{run.name_space},
        console_{session.console},
        paint_{Paint::of(session.console, Stream::error, ColourChoice::automatic)},
        options_{options},
        printer_{session.console},
        backoff_{options.timeout} {
    if (options.timeout) end_ = std::chrono::steady_clock::now() + *options.timeout;
  }

  Result<client::Answer<client::Run>> last_answer() {
    for (;;) {
      auto answer = TRY(fetch_run());
      if (answer.value.attempt >= attempt_ && !is_over()) {
        if (TRY(has_bar(answer.value))) TRY(show_items());
        TRY(read_log());
        answer = TRY(fetch_run());
      }
      const client::Run& run = answer.value;
      if ((has_ended(run) && run.attempt <= attempt_) || is_over() || !is_read_) {
        printer_.finish();
        return answer;
      }
      if (has_failed_attempt(run)) {
        tell_failed_attempt(run);
        ++attempt_;
        offset_ = 0;
        backoff_.reset();
        continue;
      }
      tell_wait(run);
      static_cast<void>(backoff_.pause());
    }
  }

 private:
  /// Whether the attempt that was followed is not the last.
  [[nodiscard]] bool has_failed_attempt(const client::Run& run) const {
    return run.attempt > attempt_ || (run.state == "retrying" && run.attempt == attempt_);
  }

  [[nodiscard]] bool is_over() const { return end_ && std::chrono::steady_clock::now() >= *end_; }

  [[nodiscard]] Duration time_left() const {
    if (!end_) return {};
    return std::max(std::chrono::ceil<Duration>(*end_ - std::chrono::steady_clock::now()),
                    Duration{std::chrono::milliseconds{1}});
  }

  /// Until the attempt has ended, which may not have begun. A connection that breaks is made anew at the byte it had
  /// come to.
  Result<> read_log() {
    Query query{{"attempt", fmt::format("{}", attempt_)}, {"offset", fmt::format("{}", offset_)}, {"follow", "true"}};
    query.emplace_back("namespace", namespace_);
    const auto answer = client_.stream(
        fmt::format("/runs/{}/logs", path_part(run_id_)), query,
        [this](std::string_view piece) {
          offset_ += piece.size();
          if (options_.shown == Shown::log) is_read_ = printer_.take(piece);
          return is_read_;
        },
        {}, time_left());
    if (answer || is_over()) return {};
    return retry_or_fail(answer.error());
  }

  /// Whether somebody looks who sees more in a bar than in the log of a pipeline, which is printed after it.
  Result<bool> has_bar(const client::Run& run) {
    if (options_.shown != Shown::log || !console_.is_terminal(Stream::error) || run.schedule.empty()) return false;
    if (!is_pipeline_) {
      const auto schedule = client_.get_schedule(run.schedule, run.name_space);
      const json::object* const action =
          schedule && schedule->document.is_object() ? object_in(schedule->document.get_object(), "action") : nullptr;
      is_pipeline_ = action != nullptr && action->contains("pipeline");
    }
    return *is_pipeline_;
  }

  static const json::object* object_in(const json::object& document, std::string_view name) {
    const json::value* value = document.if_contains(name);
    return value == nullptr ? nullptr : value->if_object();
  }

  /// Until the attempt has ended.
  Result<> show_items() {
    std::string shown;
    for (;;) {
      const client::Run run = TRY(fetch_run()).value;
      const std::string text = item_progress_text(run, paint_, Bar::shown);
      const bool is_under_way = run.attempt == attempt_ && run.state == "running";
      if (is_under_way && !text.empty() && text != shown) console_.write_error("\r" + paint_.signs(text) + "\x1b[K");
      if (!text.empty()) shown = text;
      if (!is_under_way || is_over()) break;
      backoff_.reset();
      for (int i = 0; i < looks_per_bar; ++i) static_cast<void>(backoff_.pause());
    }
    if (!shown.empty()) console_.write_error("\r\x1b[K");
    return {};
  }

  Result<client::Answer<client::Run>> fetch_run() {
    for (;;) {
      auto run = client_.get_run(run_id_, namespace_);
      if (run) {
        backoff_.note_success();
        return run;
      }
      TRY(retry_or_fail(run.error()));
      if (is_over()) return run;
    }
  }

  /// A server that is started anew meanwhile goes on with the run.
  Result<> retry_or_fail(const Error& error) {
    if (error.rule != "unreachable" || !backoff_.may_retry()) return std::unexpected(error);
    static_cast<void>(backoff_.pause());
    return {};
  }

  void tell(const std::string& text) { console_.write_error(paint_.signs(text + '\n')); }

  void tell_failed_attempt(const client::Run& run) {
    if (run.attempt == attempt_) return tell(wait_text(run, options_.zone));
    const auto failed = std::ranges::find(run.attempts, attempt_, &client::Attempt::number);
    const std::string error = failed == run.attempts.end() ? run.error : failed->error;
    tell(fmt::format("attempt {} failed{}", attempt_, error.empty() ? "" : ": " + printable(error)));
  }

  /// What the run waits for, once for each thing. A worker mostly comes at once: that it has not is told after a while.
  void tell_wait(const client::Run& run) {
    // Between two attempts it was told already.
    if (run.state == "retrying" || !run.waiting_for) return;
    const bool is_held = !hold_text(run.waiting_for, namespace_).empty();
    if (!is_held && ++look_count_ < looks_before_wait_is_told) return;
    const std::string text = wait_text(run, options_.zone);
    if (text != told_wait_ && !text.empty()) tell(text);
    told_wait_ = text;
  }

  static constexpr int looks_before_wait_is_told = 6;  // about two seconds
  static constexpr int looks_per_bar = 2;              // about a sixth of a second

  Client& client_;
  std::string run_id_;
  std::string namespace_;
  Console& console_;
  Paint paint_;
  const FollowOptions options_;
  LogPrinter printer_;
  PollBackoff backoff_;
  std::optional<SteadyTime> end_{};
  std::int64_t attempt_ = 1;
  std::size_t offset_ = 0;
  bool is_read_ = true;
  int look_count_ = 0;
  std::string told_wait_{};
  std::optional<bool> is_pipeline_{};  // once it is known
};

}  // namespace

Result<client::Answer<client::Run>> follow_run(Client& client, const client::Run& run, const FollowOptions& options,
                                               Session& session) {
  return Following{client, run, options, session}.last_answer();
}

}  // namespace carillon::cli
