#include "main/server_commands.hpp"

#include "embedded/schedule_files.hpp"
#include "embedded/server.hpp"
#include "engine/ledger_record.hpp"
#include "logging/stream_log.hpp"
#include "runtime/system_clock.hpp"
#include "stores/sqlite/sqlite_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>

namespace carillon {
namespace {

constexpr std::size_t export_page = 10'000;

/// The signals that end a server, taken by waiting for them rather than by surprise.
class StopSignals {
 public:
  // To be made before there are threads: they inherit the mask.
  StopSignals() {
    ::sigemptyset(&signals_);
    ::sigaddset(&signals_, SIGINT);
    ::sigaddset(&signals_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void wait() const {
    int signal = 0;
    ::sigwait(&signals_, &signal);
  }
  /// Tells whether one has come within a moment.
  [[nodiscard]] bool wait(std::chrono::milliseconds length) const {
    const timespec time{.tv_sec = 0, .tv_nsec = length.count() * 1'000'000};
    return ::sigtimedwait(&signals_, nullptr, &time) > 0;
  }

 private:
  sigset_t signals_{};
};

Result<std::vector<Cidr>> networks_of(const std::vector<std::string>& texts) {
  std::vector<Cidr> networks;
  for (const std::string& text : texts)
    networks.push_back(TRY(while_doing(Cidr::parse(text), "reading --allow-egress")));
  return networks;
}

struct AppliedCounts {
  std::size_t created = 0;
  std::size_t updated = 0;
  std::size_t unchanged = 0;
  std::size_t refused = 0;
};

AppliedCounts apply(const ScheduleFiles& files, Wishes& wishes, Console& console) {
  AppliedCounts counts{.refused = files.problems.size()};
  for (const FileProblem& problem : files.problems) console.write_error(problem.text() + "\n");
  for (const FiledSchedule& schedule : files.schedules) {
    const auto applied = wishes.apply(schedule.document, "file:" + schedule.file.filename().string());
    if (!applied) {
      ++counts.refused;
      const FileProblem problem{
          .file = schedule.file,
          .message = fmt::format("schedule {}: {}", schedule.document.id.text(), applied.error().message),
          .hint = applied.error().hint};
      console.write_error(problem.text() + "\n");
      continue;
    }
    counts.created += *applied == Wishes::Applied::created;
    counts.updated += *applied == Wishes::Applied::updated;
    counts.unchanged += *applied == Wishes::Applied::unchanged;
  }
  return counts;
}

std::string greeting(const Server& server, const AppliedCounts& counts, bool has_files) {
  std::string text = fmt::format("carillon serves {} (pid {})\n", server.data().string(), ::getpid());
  if (has_files)
    text += fmt::format("  schedules: {} created, {} updated, {} unchanged, {} refused\n", counts.created,
                        counts.updated, counts.unchanged, counts.refused);
  text += fmt::format("  what became of every due time:  carillon ledger export --data {}\n", server.data().string());
  return text + "  Ctrl-C stops it; the next start goes on where it stopped\n";
}

void stop(Server& server, const StopSignals& signals, Log& log) {
  log.info("stopping: no new starts, waiting for running work; Ctrl-C again cancels it");
  std::atomic<bool> is_stopped = false;
  const std::jthread impatience{[&] {
    while (!is_stopped)
      if (signals.wait(std::chrono::milliseconds{50})) server.hurry();
  }};
  server.stop();
  is_stopped = true;
}

}  // namespace

Result<ExitCode> ServerCommands::serve(const ServeRequest& request, Console& console) {
  const StopSignals signals;
  std::atomic<bool> has_failed = false;
  SystemClock clock;
  StreamLog log{clock, STDERR_FILENO,
                request.log_form == ServeRequest::LogForm::json ? StreamLog::Form::json : StreamLog::Form::text};
  const ServerOptions options{.data = request.data,
                              .worker_count = request.worker_count,
                              .allowed_egress = TRY(networks_of(request.allowed_egress)),
                              .stop_timeout = request.stop_timeout,
                              .on_failure = [&has_failed] {
                                has_failed = true;
                                ::kill(::getpid(), SIGTERM);
                              }};
  const auto default_zone = console.environment("SCHEDULER_DEFAULT_TIMEZONE").value_or("UTC");
  const auto files =
      read_schedule_files({request.applied.begin(), request.applied.end()}, {.default_timezone = default_zone});
  const auto server = TRY(Server::open(options, clock, zones_, log));
  const AppliedCounts counts = apply(files, server->wishes(), console);
  console.write(greeting(*server, counts, !request.applied.empty()));
  log.info("server started", {{"data", server->data().string()}, {"pid", static_cast<std::int64_t>(::getpid())}});
  server->start();
  signals.wait();
  stop(*server, signals, log);
  log.info("server stopped");
  if (has_failed)
    return fail(ErrorCode::unavailable, "the process that starts commands has ended; start the server again");
  return ExitCode::ok;
}

Result<ExitCode> ServerCommands::export_ledger(const std::string& data, Console& console) {
  SystemClock clock;
  const auto file = std::filesystem::path{data} / "carillon.db";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fail(ErrorCode::not_found, "there is no store in {}", data);
  const auto store = TRY(SqliteStore::open_read_only(file, clock));
  Seq last{};
  for (;;) {
    const auto records = TRY(store->read_ledger(last, export_page));
    if (records.empty()) return ExitCode::ok;
    std::string text;
    for (const LedgerRecord& record : records) text += to_json(record) + "\n";
    console.write(text);
    if (console.output_state() != Console::OutputState::open) return ExitCode::ok;
    last = head_of(records.back()).seq;
  }
}

}  // namespace carillon
