#pragma once

#include <carillon/failure.hpp>
#include <carillon/handler.hpp>
#include <carillon/listener.hpp>
#include <carillon/lock.hpp>
#include <carillon/schedule.hpp>
#include <carillon/wall_clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon {

/// One line of the scheduler's own log.
struct LogLine {
  enum class Level { debug, info, warn, error };

  Level level = Level::info;
  std::string event;  // fixed words that can be searched for
  std::vector<std::pair<std::string, std::string>> fields;
};

/// Marks the schedules that a program registers as its own, and says what becomes of those that an earlier version of
/// it has registered and this one does not. Without this they go on for ever.
struct ManagedSchedules {
  enum class Unregistered {
    pause,   // until a program of this name registers it again, which resumes it
    remove,  // runs and decisions are kept as long as those of any schedule that was removed
  };

  /// The program's name, of the form of a schedule id. It is kept in the label `carillon.managed-by` as `code:<name>`:
  /// schedules without it, or of another program, are never touched.
  std::string by;
  Unregistered unregistered = Unregistered::pause;
  /// How long after `start` a schedule may remain unregistered. What is registered later is resumed, if it was paused.
  std::chrono::microseconds grace = std::chrono::minutes{1};
};

struct SchedulerOptions {
  /// The folder in which schedules, runs and results are kept. One process can have it at a time. If empty, everything
  /// is kept in memory, for tests and for what need not outlive the scheduler.
  std::filesystem::path data{};
  /// How many handlers run at the same time, each on a thread of its own.
  std::size_t worker_count = 16;
  /// How long `stop` waits for handlers before it asks them to stop.
  std::chrono::microseconds stop_timeout = std::chrono::seconds{30};
  /// Receives the scheduler's log. Called from several threads; must return quickly and must not throw.
  std::function<void(const LogLine& line)> log{};
  /// The time of day to go by; none: that of the machine. Kept until the scheduler is destroyed.
  std::shared_ptr<WallClock> clock{};
  /// What becomes of schedules that are no longer registered; none: nothing.
  std::optional<ManagedSchedules> managed{};
};

struct PauseOptions {
  std::string reason{};              // at most 1,000 bytes
  std::optional<TimePoint> until{};  // then the schedule resumes by itself
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

/// A durable scheduler inside this process. Schedules and handlers are registered in code. Every occurrence of a
/// schedule is started once, skipped with a reason, or waits; with a data folder this holds across crashes too.
///
///     auto scheduler = carillon::Scheduler::open({.data = "state"}).value();
///     scheduler.must_register({.id = "cleanup", .cron = {"0 3 * * *"}}, [](const carillon::RunContext&) {
///       return carillon::HandlerResult{};
///     });
///     scheduler.start().value();
///
/// Members may be called from any thread at any time, also from handlers and listeners. Only `start`, `stop` and the
/// destructor must not be called from those. What a call has changed is durable when it returns. A failure
/// `unavailable` leaves open whether the change was made.
class Scheduler {
 public:
  /// Opens the data folder, or creates it. Fails with `conflict` if another process has it, and the message says which;
  /// with `corrupt` if it has lost its database; with `invalid_argument` if an option cannot be used. No schedule is
  /// decided and no handler called before `start`; only the store has threads before that.
  [[nodiscard]] static Expected<Scheduler> open(SchedulerOptions options = {});

  Scheduler(Scheduler&& other) noexcept;
  Scheduler& operator=(Scheduler&& other) noexcept;
  ~Scheduler();  // calls stop()

  /// Begins to decide schedules and to perform runs, first of all what came due while no process did. Can be called
  /// once: a scheduler that was stopped cannot be started again, open another one.
  [[nodiscard]] Expected<> start();
  /// Starts nothing more, and waits for running handlers for at most `stop_timeout`; then requests their stop and waits
  /// until they have returned. When this returns no handler runs. Does nothing before `start` and when called again.
  Expected<> stop();
  [[nodiscard]] bool is_running() const;

  /// Adds a listener, for the life of the scheduler or until `unlisten`. Listeners are called in the order in which
  /// they were added.
  ListenerId listen(Listener listener);
  /// Removes a listener; does nothing if that was done before. When this returns the listener is not called any more,
  /// and no call of it is under way. Only if this is called from a handler or a listener, calls on other threads may
  /// still be.
  void unlisten(ListenerId id);

  /// Adds a handler for the schedules that name it, also those that an earlier process has left in the data folder.
  /// Fails with `conflict` if the name is taken. An attempt whose handler is missing fails, so register handlers before
  /// `start`.
  [[nodiscard]] Expected<> register_handler(const std::string& name, Handler handler);

  /// Creates the schedule or, if an earlier process has left one with this id, makes that equal to the definition; past
  /// decisions stay. Fails with `conflict` if this process has registered the id already, with `not_found` if the
  /// handler is not registered, with `invalid_argument` if the definition is not valid.
  [[nodiscard]] Expected<> register_schedule(const ScheduleDefinition& definition);
  /// The same, together with its handler: both are registered, or neither.
  [[nodiscard]] Expected<> register_schedule(const ScheduleDefinition& definition, Handler handler);
  /// The same for a schedule document in JSON or YAML, canonical or short form. Its action must be a job whose type is
  /// the name of a handler.
  [[nodiscard]] Expected<> register_document(std::string_view text);

  /// As register_schedule, for programs that cannot go on without: throws a FailureException on failure.
  void must_register(const ScheduleDefinition& definition);
  void must_register(const ScheduleDefinition& definition, Handler handler);

  /// Deletes a schedule, and its handler if they were registered together. A running handler is not stopped. A schedule
  /// that a program no longer registers is not deleted by that: it goes on until it is removed, unless
  /// `SchedulerOptions::managed` says otherwise.
  [[nodiscard]] Expected<> remove(std::string_view id);

  /// Starts nothing until `resume`, or until the given time. Triggers still work. Fails with `invalid_argument` if the
  /// schedule's status does not allow it; so does `resume`.
  [[nodiscard]] Expected<> pause(std::string_view id, const PauseOptions& options = {});
  [[nodiscard]] Expected<> resume(std::string_view id);
  /// Makes a schedule that is done or dead active again; repeats and failures are counted from zero.
  [[nodiscard]] Expected<> reset(std::string_view id);
  /// Starts one run now, whatever the status of the schedule. The result says whether it was started, waits or was
  /// skipped.
  [[nodiscard]] Expected<TriggerResult> trigger(std::string_view id, const TriggerOptions& options = {});

  /// Cancels all runs of a schedule that have not ended, and returns how many. Running handlers are asked to stop.
  [[nodiscard]] Expected<std::size_t> cancel(std::string_view id);
  /// Cancels one run. Fails with `conflict` if it has ended.
  [[nodiscard]] Expected<> cancel_run(std::string_view run_id);

  /// One schedule. Fails with `not_found` if there is none with this id.
  [[nodiscard]] Expected<ScheduleInfo> get(std::string_view id) const;
  /// All schedules, in the order in which they were created.
  [[nodiscard]] Expected<std::vector<ScheduleInfo>> list() const;

  /// The schedule's first nominal time after `after`, whatever its status; none if there is none.
  [[nodiscard]] Expected<std::optional<TimePoint>> next_run(std::string_view id, TimePoint after) const;
  /// The next starts of all active schedules, by due time, at most `limit` and never more than 10,000. Fails with
  /// `invalid_argument` if finding them would take too long.
  [[nodiscard]] Expected<std::vector<UpcomingRun>> upcoming(std::size_t limit = 10) const;
  /// The runs of a schedule, newest first, at most `limit`. Starts that wait or were skipped are not among them. Old
  /// runs are removed as the schedule's `keep` policy says.
  [[nodiscard]] Expected<std::vector<RunRecord>> history(std::string_view id, std::size_t limit = 10) const;
  /// What became of the schedule's occurrences in [from, to), and what will, ascending; skipped ones are among them. At
  /// most `limit` and never more than 10,000; of past ones the newest. Fails with `invalid_argument` if finding them
  /// would take too long.
  [[nodiscard]] Expected<std::vector<OccurrenceRecord>> occurrences(std::string_view id, TimePoint from, TimePoint to,
                                                                    std::size_t limit = 100) const;
  /// Why the occurrence at `at` was decided as it was, or what will become of it. Also answers for a time at which the
  /// schedule has no occurrence.
  [[nodiscard]] Expected<Explanation> why(std::string_view id, TimePoint at) const;

  /// One run, by its id or its name. Fails with `not_found` if there is none, or it is no longer kept.
  [[nodiscard]] Expected<RunRecord> run(std::string_view run_id) const;
  /// The same, when the run has ended; at the latest after `timeout` of real time, and when the scheduler is stopped.
  /// `RunRecord::has_ended` tells which of them it was. A handler that waits keeps its thread, so that one that waits
  /// for a run behind it in the queue waits until the timeout.
  [[nodiscard]] Expected<RunRecord> wait(std::string_view run_id, std::chrono::microseconds timeout) const;
  /// What the handler has written with `RunContext::log`, in an attempt or in the newest one; also while it runs. Empty
  /// if it has written nothing or the log is no longer kept. At most 1 MiB and a line that says what is left out.
  [[nodiscard]] Expected<std::string> run_log(std::string_view run_id, std::optional<std::int64_t> attempt = {}) const;

  /// Takes a lock that whoever uses the same data folder can ask for, by the API of a server too: for what is to be
  /// done one at a time. Never waits: fails with `conflict` while another token holds it. A holder that is halted for
  /// longer than its lock lasts does not notice, so what the lock protects should compare `HeldLock::fence`. Starts of
  /// runs need no lock. The name has the form of a schedule id.
  [[nodiscard]] Expected<HeldLock> acquire_lock(std::string_view name, const LockOptions& options = {});
  /// Holds it for `ttl` from now on. Fails with `conflict` if the token does not hold it any more; so does
  /// `release_lock`.
  [[nodiscard]] Expected<HeldLock> extend_lock(std::string_view name, std::string_view token,
                                               std::chrono::microseconds ttl = std::chrono::minutes{1});
  [[nodiscard]] Expected<> release_lock(std::string_view name, std::string_view token);
  /// Who holds it, without the token. Fails with `not_found` if nobody does.
  [[nodiscard]] Expected<HeldLock> find_lock(std::string_view name) const;

 private:
  struct Parts;
  explicit Scheduler(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace carillon
