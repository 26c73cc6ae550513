#pragma once

#include <carillon/handler.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace carillon {

/// An attempt begins. A run that is retried begins several times.
struct ExecutionStart {
  std::string schedule_id;
  std::string run_id;
  std::string run_name;
  std::int64_t attempt = 0;  // from 1
};

/// An attempt has succeeded.
struct ExecutionComplete {
  std::string schedule_id;
  std::string run_id;
  std::string run_name;
  std::int64_t attempt = 0;
  std::optional<std::string> result{};  // JSON
  std::chrono::microseconds duration{};
};

/// An attempt has ended without success.
struct ExecutionError {
  enum class Kind { failed, timed_out, cancelled };

  std::string schedule_id;
  std::string run_id;
  std::string run_name;
  std::int64_t attempt = 0;
  Kind kind = Kind::failed;
  std::string error;
  std::chrono::microseconds duration{};
  bool will_retry = false;
  std::optional<std::int64_t> retry_attempt{};  // which retry comes next, from 1; none if none does
};

/// A definition has come, changed or gone.
struct ScheduleChange {
  enum class Kind { added, updated, removed };

  std::string schedule_id;
  Kind change = Kind::added;
};

enum class SchedulerStatus { starting, running, stopping, stopped };

/// Who hears of what happens; left-out members hear nothing.
///
///     scheduler.listen({.execution_error = [](const ExecutionError& event) { … }});
///
/// The first three are called on the scheduler's threads, for several attempts at a time; an end is told when the
/// handler has returned, a moment before that is written. One that nobody sees, because the process died or lost its
/// right to the run, is told by the history alone, as `lost`. The other two are called on the thread that made the
/// change.
///
/// A listener must be quick; what it throws is logged. It may call the scheduler, but neither start nor stop it.
struct Listener {
  std::function<void(const ExecutionStart& event)> execution_start{};
  std::function<void(const ExecutionComplete& event)> execution_complete{};
  std::function<void(const ExecutionError& event)> execution_error{};
  std::function<void(const ScheduleChange& event)> schedule_changed{};
  std::function<void(SchedulerStatus status)> scheduler_status{};
};

}  // namespace carillon
