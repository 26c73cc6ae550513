#pragma once

#include "library/host_clock.hpp"
#include "library/scheduler_listeners.hpp"
#include "library/scheduler_log.hpp"
#include "library/scheduler_store.hpp"
#include "library/store_changes.hpp"
#include "ports/executor_registry.hpp"
#include "runtime/running_attempts.hpp"
#include "runtime/runtime.hpp"
#include "service/parts.hpp"
#include "service/queries.hpp"
#include "service/runs.hpp"
#include "service/schedules.hpp"
#include "zones/system_zone_source.hpp"

#include <carillon/scheduler.hpp>
#include <carillon/wall_clock.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace carillon {

/// What must exist before the store is opened.
struct SchedulerSurroundings {
  SchedulerSurroundings(std::shared_ptr<WallClock> wall, std::function<void(const LogLine&)> receiver)
      : clock{std::move(wall)}, log{std::move(receiver)} {}

  HostClock clock;
  SystemZoneSource zones;
  SchedulerLog log;
};

/// What the executors of an embedded scheduler are made over.
struct SchedulerBase {
  SchedulerBase(SchedulerSurroundings& surroundings, SchedulerStore opened, SchedulerListeners& listeners);

  SchedulerSurroundings& around;
  SchedulerStore store;
  StoreChanges changes;
  RunningAttempts attempts;
};

struct SchedulerCoreOptions {
  std::vector<std::string> queues{};
  std::size_t worker_count = 16;
  Duration stop_timeout = std::chrono::seconds{30};
  bool has_watched_folder = false;
  SourceFindings source_findings{};
};

/// The runtime of an embedded scheduler over its executors, and the use cases of `service` with the host program as
/// their caller.
struct SchedulerCore {
  SchedulerCore(SchedulerBase& base, const ExecutorRegistry& executors, const SchedulerCoreOptions& options);
  SchedulerCore(const SchedulerCore&) = delete;
  SchedulerCore& operator=(const SchedulerCore&) = delete;
  ~SchedulerCore();

  /// The run when it has ended; at the latest after `timeout` of real time, and when `is_stopped` is set.
  [[nodiscard]] Served<RunAnswer> wait(const std::string& run_id, std::chrono::microseconds timeout,
                                       const std::atomic<bool>& is_stopped);

  SchedulerBase& base;
  Runtime runtime;
  ServiceParts service;
  Caller caller;  // the host program: it may do everything
  Schedules schedules;
  Queries queries;
  Runs runs;
};

}  // namespace carillon
