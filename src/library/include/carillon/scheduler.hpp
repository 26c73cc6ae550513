#pragma once

#include <carillon/failure.hpp>
#include <carillon/handler.hpp>
#include <carillon/listener.hpp>
#include <carillon/schedule.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon {

/// One event of the scheduler's own log.
struct LogLine {
  enum class Level { debug, info, warn, error };

  Level level = Level::info;
  std::string event;  // fixed words, good to search for
  std::vector<std::pair<std::string, std::string>> fields;
};

struct SchedulerOptions {
  /// The folder that schedules, runs and results are kept in, one process at a time. Empty: in memory, for tests and
  /// for what need not outlive the scheduler.
  std::filesystem::path data{};
  /// Handlers that run at the same time, each on a thread of its own.
  std::size_t worker_count = 16;
  /// How long `stop` waits for handlers before it asks them to stop.
  std::chrono::microseconds stop_timeout = std::chrono::seconds{30};
  /// Called from several threads; must be quick and must not throw.
  std::function<void(const LogLine& line)> log{};
};

struct PauseOptions {
  std::string reason{};
  std::optional<TimePoint> until{};  // then it resumes by itself
};

struct TriggerOptions {
  std::optional<std::string> payload{};  // JSON, in place of the schedule's
  Overlap overlap = Overlap::allow_all;
};

struct TriggerResult {
  enum class Decision { started, waiting, skipped };

  Decision decision = Decision::started;
  std::string run_id;  // empty if it was skipped
  std::string reason;  // why it was skipped
};

/// A durable scheduler inside this process. Schedules and handlers are registered in code; every occurrence of a
/// schedule is started once, skipped with a reason, or waits, also across crashes if there is a data folder.
///
///     auto scheduler = carillon::Scheduler::open({.data = "state"}).value();
///     scheduler.must_register({.id = "cleanup", .cron = {"0 3 * * *"}}, [](const carillon::RunContext&) {
///       return carillon::HandlerResult{};
///     });
///     scheduler.start().value();
///
/// Members may be called from any thread at any time, handlers and listeners included; only `start`, `stop` and the
/// destructor are not for those. What a call has changed is durable when it returns.
class Scheduler {
 public:
  /// Takes the data folder; a conflict that says who has it if somebody does. Nothing is decided or performed yet, and
  /// no thread is started but the store's own.
  [[nodiscard]] static Expected<Scheduler> open(SchedulerOptions options = {});

  Scheduler(Scheduler&& other) noexcept;
  Scheduler& operator=(Scheduler&& other) noexcept;
  ~Scheduler();  // stops

  /// Begins to decide and to perform, first of all what came due meanwhile. A scheduler that was stopped is not started
  /// again: open another one.
  [[nodiscard]] Expected<> start();
  /// No new starts; waits for handlers as long as `stop_timeout` says, then asks them to stop and waits until they have
  /// returned: after this none runs. Does nothing before `start` and when called again.
  Expected<> stop();
  [[nodiscard]] bool is_running() const;

  /// Adds a listener, for as long as the scheduler lives. Listeners are called in the order they were added.
  void listen(Listener listener);

  /// Makes a handler known to the schedules that name it, those of earlier lives of the program included. A conflict if
  /// the name is taken. An attempt whose handler is not known fails, so handlers come before `start`.
  [[nodiscard]] Expected<> register_handler(const std::string& name, Handler handler);

  /// Creates the schedule, or makes the one that an earlier life of the program has left equal to the definition; what
  /// has been decided stays so. A conflict if the id is registered already. Its handler must be known.
  [[nodiscard]] Expected<> register_schedule(const ScheduleDefinition& definition);
  /// The schedule and its handler, both or neither.
  [[nodiscard]] Expected<> register_schedule(const ScheduleDefinition& definition, Handler handler);
  /// A schedule document in JSON or YAML, canonical or short form; its action is a job whose type names a handler.
  [[nodiscard]] Expected<> register_document(std::string_view text);

  /// As register_schedule, for programs that cannot go on without: throws std::runtime_error.
  void must_register(const ScheduleDefinition& definition);
  void must_register(const ScheduleDefinition& definition, Handler handler);

  /// Deletes a schedule, and its handler if they were registered together; an active run goes on. One that the program
  /// no longer registers stays, and goes on, until it is removed.
  [[nodiscard]] Expected<> remove(std::string_view id);

  /// Nothing is started until `resume`, or until the given time.
  [[nodiscard]] Expected<> pause(std::string_view id, const PauseOptions& options = {});
  [[nodiscard]] Expected<> resume(std::string_view id);
  /// Brings back what is done or dead, and begins to count its repeats and failures anew.
  [[nodiscard]] Expected<> reset(std::string_view id);
  /// Starts one run now, beside what the schedule does by itself.
  [[nodiscard]] Expected<TriggerResult> trigger(std::string_view id, const TriggerOptions& options = {});

  /// Cancels all runs of a schedule that have not ended; tells how many. Handlers are asked to stop.
  [[nodiscard]] Expected<std::size_t> cancel(std::string_view id);
  /// Cancels one run. A conflict if it has ended.
  [[nodiscard]] Expected<> cancel_run(std::string_view run_id);

  [[nodiscard]] Expected<ScheduleInfo> get(std::string_view id) const;
  /// All schedules, in the order of their creation.
  [[nodiscard]] Expected<std::vector<ScheduleInfo>> list() const;

  /// The schedule's first nominal time after `after`, whatever its status; none if there is no more.
  [[nodiscard]] Expected<std::optional<TimePoint>> next_run(std::string_view id, TimePoint after) const;
  /// The next starts of all active schedules, by due time, at most `limit`.
  [[nodiscard]] Expected<std::vector<UpcomingRun>> upcoming(std::size_t limit = 10) const;
  /// The runs of a schedule, newest first, at most `limit`. Takes longer the further back they lie.
  [[nodiscard]] Expected<std::vector<RunRecord>> history(std::string_view id, std::size_t limit = 10) const;

 private:
  struct Parts;
  explicit Scheduler(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace carillon
