#pragma once

#include "base/loop_monitor.hpp"
#include "ports/clock.hpp"
#include "ports/executor_registry.hpp"
#include "ports/log.hpp"
#include "ports/log_store.hpp"
#include "ports/notifier.hpp"
#include "ports/store_ports.hpp"
#include "ports/zone_source.hpp"
#include "runtime/alarm.hpp"
#include "runtime/decider.hpp"
#include "runtime/lost_run_rescuer.hpp"
#include "runtime/running_attempts.hpp"
#include "runtime/sweeper.hpp"
#include "runtime/worker.hpp"
#include "scheduling/schedule_commands.hpp"
#include "scheduling/shared_definitions.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace carillon {

/// What a runtime works with; all of it outlives the runtime.
struct RuntimeParts {
  StorePorts store;
  ZoneSource& zones;
  Clock& clock;
  Log& log;
  /// Made before the executors, which tell it how attempts go.
  RunningAttempts& attempts;
  ExecutorRegistry executors;
  LogStore* logs = nullptr;      // of which old logs are removed; none: nothing is
  LoopMonitor* loops = nullptr;  // watches the threads
};

/// What a process does of what a server does. Users' commands work in all of them.
struct RuntimeRoles {
  bool decides = true;   // what is due; also ends lost runs and removes what is old
  bool performs = true;  // runs
};

struct RuntimeOptions {
  RuntimeRoles roles{};
  WorkerOptions worker;
  DeciderOptions decider;
  Duration stop_timeout = std::chrono::seconds{30};  // how long running work may take when the runtime stops
  /// The worker has met an exception, such as a lack of memory, and has given up: the process is to be stopped and
  /// started anew. Called once, from the worker's thread.
  std::function<void()> on_failure{};
  /// A run was asked to stop that this worker may not have. From any thread.
  std::function<void()> on_stop_request{};
  /// Runs of these queues are not lost when their worker is: another one goes on with them (RemoteWorker).
  std::vector<std::string> adopted_queues{};
};

/// The services of a server, each on a thread of its own: the decider, the worker, the rescuer of lost runs and the
/// sweeper; as far as they belong to its roles.
class Runtime {
 public:
  Runtime(RuntimeParts parts, RuntimeOptions options);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Attempts of an earlier server to go on with (Worker::take_over). Before `start`.
  [[nodiscard]] Result<std::vector<AttemptKey>> take_over(SessionId session,
                                                          std::span<const DetachedAttempt> detached) {
    return worker_.take_over(session, detached);
  }
  void start();
  /// No new starts; waits for running work until `stop_timeout`, then cancels it and records that. Safe twice, and
  /// before `start`.
  void stop() { stop(options_.stop_timeout); }
  void stop(Duration timeout);
  /// Nothing more is claimed here; what runs goes on.
  void drain() { parts_.attempts.drain(); }
  /// Ends the waiting of a `stop` under way: running work is cancelled now.
  void hurry() { hurry_.ring(); }

  /// How many attempts are running here, which a stop waits for.
  [[nodiscard]] std::size_t running_count() { return parts_.attempts.count(); }

  /// What users want done.
  [[nodiscard]] ScheduleCommands& commands() { return commands_; }
  [[nodiscard]] SharedDefinitions& definitions() { return definitions_; }
  /// Looks at the clock and at what is due now, not with the next poll. From any thread.
  void wake_decider() { decider_alarm_.ring(); }
  /// The part of the schedules that is this server's to decide first. From any thread.
  void set_share(ServerShare share) { decider_.set_share(share); }
  /// How long ago the loop has last looked at what is due; zero if it is not this process that looks.
  [[nodiscard]] Duration time_since_tick() {
    return options_.roles.decides ? parts_.clock.since_boot() - Duration{last_tick_.load()} : Duration{0};
  }

 private:
  void run_decider(const std::stop_token& token, const LoopMonitor::Pulse& pulse);
  void run_worker(const std::stop_token& token, const LoopMonitor::Pulse& pulse);
  void work(const std::stop_token& token, const LoopMonitor::Pulse& pulse);
  /// For what is never urgent: nobody wakes it.
  [[nodiscard]] std::jthread background_thread(std::string name, std::function<Duration()> tick);
  void tell_exception(std::string_view name, std::string_view what);
  /// What `tick` says, or a second from now if it has thrown: an exception of one look must not end the process.
  [[nodiscard]] Duration guarded(std::string_view name, const std::function<Duration()>& tick);
  [[nodiscard]] bool wait_until_idle(Duration timeout);
  void stop_worker(Duration timeout);

  RuntimeParts parts_;
  RuntimeOptions options_;
  SharedDefinitions definitions_;
  std::atomic<Duration::rep> last_tick_;  // since boot
  Alarm decider_alarm_;
  Alarm hurry_;
  Worker worker_;
  Decider decider_;
  LostRunRescuer rescuer_;
  ScheduleCommands commands_;
  Sweeper sweeper_;
  NotifierSubscription wakes_;            // ends before the alarm that it rings
  std::atomic<bool> has_failed_ = false;  // the worker has
  bool is_started_ = false;
  std::jthread decider_thread_;
  std::jthread worker_thread_;
  std::jthread rescuer_thread_;
  std::jthread sweeper_thread_;
  std::jthread zone_thread_;  // looks for new zone rules where no decider does
};

}  // namespace carillon
