#pragma once

#include "library/handler_executor.hpp"
#include "library/scheduler_listeners.hpp"
#include "library/scheduler_log.hpp"
#include "library/scheduler_store.hpp"
#include "runtime/running_attempts.hpp"
#include "runtime/runtime.hpp"
#include "runtime/system_clock.hpp"
#include "scheduling/definition_cache.hpp"
#include "scheduling/shared_definitions.hpp"
#include "zones/system_zone_source.hpp"

#include <carillon/scheduler.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace carillon {

/// What a scheduler lives among, and what must exist before its store is opened.
struct SchedulerSurroundings {
  explicit SchedulerSurroundings(const SchedulerOptions& options) : log{options.log} {}

  SystemClock clock;
  SystemZoneSource zones;
  SchedulerLog log;
};

/// A schedule that was found, with its definition or why it has none.
struct FoundSchedule {
  Instant store_now;
  ScheduleView view;
  Result<DefinitionPtr> definition;
};

struct Scheduler::Parts {
  Parts(std::unique_ptr<SchedulerSurroundings> around, SchedulerStore opened, const SchedulerOptions& options);
  ~Parts();

  [[nodiscard]] Result<> start();
  [[nodiscard]] Result<> stop();

  [[nodiscard]] Result<> add_handler(const std::string& name, Handler handler);
  /// `own_handler` goes with the schedule when that is removed; empty: none.
  [[nodiscard]] Result<> add_schedule(const ScheduleDocument& document, const std::string& own_handler = {});
  [[nodiscard]] Result<> remove(std::string_view id);
  [[nodiscard]] Result<CommandResult> change(std::string_view id, const Event& event);
  /// Logs the schedules that nobody here performs.
  void look_for_handlers();

  // scheduler_queries.cpp
  [[nodiscard]] Result<FoundSchedule> find(std::string_view id);
  [[nodiscard]] Result<ScheduleInfo> describe(const FoundSchedule& found);
  [[nodiscard]] Result<std::vector<FoundSchedule>> find_all();

  std::unique_ptr<SchedulerSurroundings> surroundings;
  SchedulerStore store;
  SharedDefinitions definitions;
  SchedulerListeners listeners;
  RunningAttempts attempts;
  HandlerExecutor executor;
  Runtime runtime;

  std::mutex life;  // held while starting and stopping
  bool was_started = false;
  std::atomic<bool> is_running = false;

  std::mutex registering;
  std::map<std::string, std::string> registered;  // by the id in lower case: the handler that came with it, or none
};

/// The name of a schedule inside an embedded scheduler.
[[nodiscard]] Result<ScheduleKey> scheduler_key(std::string_view id);

}  // namespace carillon
