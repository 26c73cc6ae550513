#pragma once

#include "library/handler_executor.hpp"
#include "library/host_clock.hpp"
#include "library/scheduler_listeners.hpp"
#include "library/scheduler_log.hpp"
#include "library/scheduler_store.hpp"
#include "library/store_changes.hpp"
#include "runtime/running_attempts.hpp"
#include "runtime/runtime.hpp"
#include "service/parts.hpp"
#include "service/queries.hpp"
#include "service/runs.hpp"
#include "service/schedules.hpp"
#include "zones/system_zone_source.hpp"

#include <carillon/scheduler.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace carillon {

/// What must exist before the store is opened.
struct SchedulerSurroundings {
  explicit SchedulerSurroundings(const SchedulerOptions& options) : clock{options.clock}, log{options.log} {}

  HostClock clock;
  SystemZoneSource zones;
  SchedulerLog log;
};

/// An error `invalid_argument` if the name cannot be a mark of schedules.
[[nodiscard]] Result<> check_managed(const ManagedSchedules& managed);

/// The wiring of one scheduler. Users' commands and queries are those of `service`, with the host program as caller;
/// here stand only what a server does not have: handlers, listeners, and what the program has registered.
struct Scheduler::Parts {
  Parts(std::unique_ptr<SchedulerSurroundings> around, SchedulerStore opened, const SchedulerOptions& options);
  ~Parts();

  [[nodiscard]] Result<> start();
  [[nodiscard]] Result<> stop();

  [[nodiscard]] Result<> add_handler(const std::string& name, Handler handler);
  /// `own_handler` is removed together with the schedule; empty: none is.
  [[nodiscard]] Served<> add_schedule(const ScheduleDocument& document, const std::string& own_handler = {});
  [[nodiscard]] Served<> remove(const std::string& id);

  std::unique_ptr<SchedulerSurroundings> surroundings;
  SchedulerStore store;
  StoreChanges changes;
  SchedulerListeners listeners;
  RunningAttempts attempts;
  HandlerExecutor executor;
  Runtime runtime;

  ServiceParts service;
  Caller caller;  // the host program: it may do everything
  Schedules schedules;
  Queries queries;
  Runs runs;

  std::mutex life;  // held while starting and stopping
  bool was_started = false;
  std::atomic<bool> is_running = false;
  std::atomic<bool> was_stopped = false;

  std::mutex registering;
  std::map<std::string, std::string> registered;  // by the id in lower case: the handler that came with it, or none

  const std::optional<ManagedSchedules> managed;
  std::jthread
      grace_watch;  // waits until schedules that are not registered by then are ended; last, as it uses the rest

 private:
  [[nodiscard]] ServiceParts service_parts();
  /// Creates the schedule, or changes the one that is there; none if that is equal already.
  [[nodiscard]] Served<std::optional<ScheduleChange::Kind>> apply(const ScheduleDocument& document);
  [[nodiscard]] bool is_registered(const std::string& id) const;

  // scheduler_managed.cpp: schedules that the program no longer registers
  /// With the mark of the program, if it manages its schedules.
  [[nodiscard]] ScheduleDocument marked(ScheduleDocument document) const;
  /// Resumes a schedule that was paused because it was not registered.
  [[nodiscard]] Served<> resume_registered(const ScheduleDocument& document);
  void watch_registered();
  [[nodiscard]] std::vector<std::string> managed_ids();
  void end_all_unregistered();
  /// Whether it was changed.
  [[nodiscard]] Served<bool> end_unregistered(const std::string& id);
  [[nodiscard]] Served<bool> pause_unregistered(const std::string& id);

  /// Logs the active schedules that nothing in this process performs.
  void log_missing_handlers();
};

}  // namespace carillon
