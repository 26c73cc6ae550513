#pragma once

#include <carillon/ai_invoker.hpp>
#include <carillon/failure.hpp>
#include <carillon/listener.hpp>
#include <carillon/pipeline.hpp>
#include <carillon/scheduler.hpp>
#include <carillon/wall_clock.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

struct PipelineSchedulerOptions {
  /// The folder with packages in it, `NAME/pipeline.yaml` at any depth. Must exist.
  std::filesystem::path pipelines_directory;
  /// Where skills are found, in `.github/skills`. Empty: what holds the folder of pipelines, without `.vscode`.
  std::filesystem::path workspace_root{};
  /// Answers the questions of all pipelines. A pipeline that names a provider must name `host`.
  AiInvoker ai_invoker{};
  /// Told how far runs are, each no more than four times a second and at its end, from several threads. Must return
  /// quickly; an exception that leaves it is logged.
  std::function<void(const PipelineProgress& progress)> process_tracker{};
  /// How many runs are kept of a pipeline, 1 to 500.
  std::size_t max_history_entries = 50;
  /// How old the heartbeat of a foreign scheduler may be before it counts as gone.
  std::chrono::microseconds lock_stale_threshold = std::chrono::seconds{60};
  /// How often the heartbeat in `.scheduler.lock` is written; at least 100 ms and less than the threshold.
  std::chrono::microseconds heartbeat_interval = std::chrono::seconds{10};

  /// The zone of schedules that name none. Empty: that of the machine.
  std::string default_timezone{};
  /// The folder of the store. Empty: `.carillon` in the folder of pipelines, where `carillon scheduler start` has it.
  std::filesystem::path data{};
  /// How many pipelines run at the same time, and how many questions are asked at the same time by all of them.
  std::size_t run_count_max = 16;
  std::size_t question_count_max = 64;
  /// How long after its file is gone a schedule is removed.
  std::chrono::microseconds removal_grace = std::chrono::minutes{10};
  /// Receives the scheduler's log. Called from several threads; must return quickly and must not throw.
  std::function<void(const LogLine& line)> log{};
  /// The time of day to go by; none: that of the machine. Kept until the scheduler is destroyed.
  std::shared_ptr<WallClock> clock{};
};

/// Runs the pipelines of a folder on their schedules, inside this process, as `carillon scheduler start` does. Packages
/// are watched: what is saved is in force within a second. Schedules, runs and answers survive the process.
///
///     carillon::PipelineScheduler scheduler{{.pipelines_directory = ".vscode/pipelines", .ai_invoker = ask_my_model}};
///     scheduler.listen({.execution_error = [](const carillon::ExecutionError& event) { … }});
///     scheduler.start().value();
///
/// Members may be called from any thread at any time, also from listeners, the invoker and the tracker. Only `start`,
/// `stop` and the destructor must not be called from those; `start` and `stop` refuse that with `conflict`. Nothing
/// throws but for lack of memory: failures are values. Before `start` has succeeded, everything that is asked about
/// schedules fails with `unavailable`; after `stop` it is still answered. What a call has changed is durable when it
/// returns.
class PipelineScheduler {
 public:
  /// Keeps the options and touches nothing yet.
  explicit PipelineScheduler(PipelineSchedulerOptions options);
  PipelineScheduler(PipelineScheduler&& other) noexcept;
  PipelineScheduler& operator=(PipelineScheduler&& other) noexcept;
  ~PipelineScheduler();  // calls stop(), and waits for invokers that are still at work

  /// Takes the folder's lock, reads the packages, makes up for what was missed as they say, and begins to watch and to
  /// run them. Fails with `conflict` if another scheduler has the folder, and the message says which, where and since
  /// when; with `not_found` if there is no such folder; with `invalid_argument` if an option cannot be used. It may be
  /// tried again after it has failed; a scheduler that was stopped cannot be started again. Packages with faults keep
  /// nobody from starting: see `faults`.
  [[nodiscard]] Expected<> start();
  /// Starts nothing more, and waits for running pipelines for at most `timeout`; then cancels them: they are not tried
  /// again. Writes the state files and gives the folder's lock back. Does nothing before `start`
  /// and when called again. An invoker that ignores its stop token may still be at work when this returns.
  Expected<> stop(std::chrono::microseconds timeout = std::chrono::seconds{30});
  [[nodiscard]] bool is_running() const;

  /// Adds a listener, for the life of the scheduler or until `unlisten`; also before `start`. Events are those of
  /// `Scheduler::listen`, with `pipeline_id`. `schedule_changed` tells of changes in files, on a thread of the
  /// scheduler or, while it is started, on the one that starts it.
  ListenerId listen(Listener listener);
  void unlisten(ListenerId id);

  /// All pipelines with a schedule, by id.
  [[nodiscard]] Expected<std::vector<PipelineScheduleInfo>> list() const;
  /// One of them. Fails with `not_found` if there is none with this id.
  [[nodiscard]] Expected<PipelineScheduleInfo> get(std::string_view schedule_id) const;
  /// What is wrong with files of the folder now, also with those that have no schedule in force.
  [[nodiscard]] Expected<std::vector<PipelineFileFault>> faults() const;

  /// Runs a pipeline now, whatever its status, and waits until it has ended with all its retries. That a run fails is
  /// no failure of this call, but in the result. Fails with `unavailable` if the scheduler stops before, or the timeout
  /// is over; the run goes on by itself. Not for listeners, the invoker and the tracker: they would wait for
  /// themselves.
  [[nodiscard]] Expected<PipelineExecutionResult> trigger_now(std::string_view schedule_id,
                                                              std::chrono::microseconds timeout = std::chrono::days{1});
  /// The same without waiting: the id of the run.
  [[nodiscard]] Expected<std::string> trigger(std::string_view schedule_id);
  /// Starts nothing until `resume`; triggers still work. Fails with `invalid_argument` if the pipeline is paused or
  /// disabled already; `resume` if it is not paused.
  [[nodiscard]] Expected<> pause(std::string_view schedule_id);
  [[nodiscard]] Expected<> resume(std::string_view schedule_id);
  /// Cancels all runs that have not ended, and returns how many.
  [[nodiscard]] Expected<std::size_t> cancel(std::string_view schedule_id);

  /// The next starts of all active pipelines, by time.
  [[nodiscard]] Expected<std::vector<UpcomingPipeline>> upcoming(std::size_t limit = 10) const;
  /// The runs of a pipeline that have ended, newest first, with those that it has brought from another place.
  [[nodiscard]] Expected<std::vector<PipelineRun>> history(std::string_view schedule_id, std::size_t limit = 50) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace carillon
