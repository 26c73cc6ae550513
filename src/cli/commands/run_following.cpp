#include "cli/commands/run_following.hpp"

#include "cli/connection/log_reading.hpp"
#include "cli/connection/poll_backoff.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <chrono>

namespace carillon::cli {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

class Following {
 public:
  Following(Client& client, const client::Run& run, Session& session, Shown shown, std::optional<Duration> timeout)
      : client_{client},
        run_id_{run.id},
        namespace_{run.name_space},
        console_{session.console},
        shown_{shown},
        printer_{session.console},
        backoff_{timeout} {
    if (timeout) end_ = std::chrono::steady_clock::now() + *timeout;
  }

  Result<client::Answer<client::Run>> last_answer() {
    for (;;) {
      if (!is_over()) TRY(read_log());
      auto answer = TRY(fetch_run());
      const client::Run& run = answer.value;
      if (has_ended(run) || is_over() || !is_read_) {
        printer_.finish();
        return answer;
      }
      if (run.state == "retrying" || run.attempt > attempt_) {
        print_failed_attempt(run);
        ++attempt_;
        offset_ = 0;
      } else if (!backoff_.pause()) {
        continue;
      }
    }
  }

 private:
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
          if (shown_ == Shown::log) is_read_ = printer_.take(piece);
          return is_read_;
        },
        {}, time_left());
    if (answer || is_over()) return {};
    return retry_or_fail(answer.error());
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

  void print_failed_attempt(const client::Run& run) {
    console_.write_error(
        fmt::format("try {} did not succeed{}\n", attempt_, run.error.empty() ? "" : ": " + printable(run.error)));
  }

  Client& client_;
  std::string run_id_;
  std::string namespace_;
  Console& console_;
  Shown shown_;
  LogPrinter printer_;
  PollBackoff backoff_;
  std::optional<SteadyTime> end_{};
  std::int64_t attempt_ = 1;
  std::size_t offset_ = 0;
  bool is_read_ = true;
};

}  // namespace

Result<client::Answer<client::Run>> follow_run(Client& client, const client::Run& run, Session& session, Shown shown,
                                               std::optional<Duration> timeout) {
  return Following{client, run, session, shown, timeout}.last_answer();
}

}  // namespace carillon::cli
