#include "cli/commands/run_following.hpp"

#include "cli/connection/log_reading.hpp"
#include "cli/connection/poll_backoff.hpp"
#include "cli/connection/request_scope.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <chrono>

namespace carillon::cli {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

class Following {
 public:
  Following(Client& client, const JsonView& run, Session& session, Shown shown, std::optional<Duration> timeout)
      : client_{client},
        path_{run_path(run)},
        namespace_{namespace_of(run)},
        console_{session.console},
        shown_{shown},
        printer_{session.console},
        backoff_{timeout} {
    if (timeout) end_ = std::chrono::steady_clock::now() + *timeout;
  }

  Result<boost::json::value> last_document() {
    for (;;) {
      if (!is_over()) TRY(read_log());
      ApiAnswer run = TRY(fetch_run());
      const JsonView view{run.body};
      if (has_ended(view) || is_over() || !is_read_) {
        printer_.finish();
        return std::move(run.body);
      }
      if (view.text("state") == "retrying" || view.number("attempt").value_or(0) > attempt_) {
        print_failed_attempt(view);
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
    query.insert(query.end(), namespace_.begin(), namespace_.end());
    const auto answer = client_.stream(
        path_ + "/logs", query,
        [this](std::string_view piece) {
          offset_ += piece.size();
          if (shown_ == Shown::log) is_read_ = printer_.take(piece);
          return is_read_;
        },
        {}, time_left());
    if (answer || is_over()) return {};
    return retry_or_fail(answer.error());
  }

  Result<ApiAnswer> fetch_run() {
    for (;;) {
      auto run = client_.get(path_, namespace_);
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

  void print_failed_attempt(const JsonView& run) {
    const std::string error = run.text("error");
    console_.write_error(
        fmt::format("try {} did not succeed{}\n", attempt_, error.empty() ? "" : ": " + printable(error)));
  }

  Client& client_;
  std::string path_;
  Query namespace_;
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

Result<boost::json::value> follow_run(Client& client, const JsonView& run, Session& session, Shown shown,
                                      std::optional<Duration> timeout) {
  return Following{client, run, session, shown, timeout}.last_document();
}

}  // namespace carillon::cli
