#pragma once

#include <carillon/handler.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace carillon {

/// An attempt begins. For a run that is retried this is called several times.
struct ExecutionStart {
  std::string schedule_id;
  std::string pipeline_id{};  // of a PipelineScheduler; else empty
  std::string run_id;
  std::string run_name;
  std::int64_t attempt = 0;  // from 1
};

/// An attempt has succeeded.
struct ExecutionComplete {
  std::string schedule_id;
  std::string pipeline_id{};  // of a PipelineScheduler; else empty
  std::string run_id;
  std::string run_name;
  std::int64_t attempt = 0;
  std::optional<std::string> result{};  // JSON; of a pipeline with itemsProcessed, resultFile and more
  std::chrono::microseconds duration{};
};

/// An attempt has ended without success.
struct ExecutionError {
  enum class Kind { failed, timed_out, cancelled };

  std::string schedule_id;
  std::string pipeline_id{};  // of a PipelineScheduler; else empty
  std::string run_id;
  std::string run_name;
  std::int64_t attempt = 0;
  Kind kind = Kind::failed;
  std::string error;
  std::chrono::microseconds duration{};
  bool will_retry = false;
  std::optional<std::int64_t> retry_attempt{};  // which retry comes next, from 1; none if none does
};

/// A schedule was added, changed or removed.
struct ScheduleChange {
  enum class Kind { added, updated, removed };

  std::string schedule_id;
  std::string pipeline_id{};  // of a PipelineScheduler; else empty
  Kind change = Kind::added;
};

enum class SchedulerStatus { starting, running, stopping, stopped };

/// Functions that are called when something happens. Members that are left out are not called.
///
///     scheduler.listen({.execution_error = [](const ExecutionError& event) { … }});
///
/// The first three are called on threads of the scheduler, for several attempts at the same time. The end of an attempt
/// is told when its handler has returned, shortly before it is written to the store. An end that this process does not
/// see, because it died or lost its right to the run, is not told: the history has it as `lost`. The other two are
/// called on the thread that made the change; that is one of the scheduler's if it removes what is no longer
/// registered.
///
/// A listener must return quickly; an exception that leaves it is logged. It may call the scheduler, but must neither
/// start nor stop it.
struct Listener {
  std::function<void(const ExecutionStart& event)> execution_start{};
  std::function<void(const ExecutionComplete& event)> execution_complete{};
  std::function<void(const ExecutionError& event)> execution_error{};
  std::function<void(const ScheduleChange& event)> schedule_changed{};
  std::function<void(SchedulerStatus status)> scheduler_status{};
};

/// Names a listener that was added, for Scheduler::unlisten.
enum class ListenerId : std::uint64_t {};

}  // namespace carillon
