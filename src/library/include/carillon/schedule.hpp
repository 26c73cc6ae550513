#pragma once

#include <carillon/handler.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// What happens to an occurrence while a run of its schedule is active.
enum class Overlap {
  skip,
  buffer_one,       // the first waits, others are skipped
  buffer_latest,    // the newest waits, others are skipped
  buffer_all,       // all wait
  cancel_other,     // it starts when the active run has been asked to stop, and has
  terminate_other,  // the same for handlers, which cannot be stopped by force
  allow_all,        // it starts beside the other
};

/// Which of the occurrences that were missed while nothing ran are started.
enum class CatchUp { latest, all, none };

/// A schedule as code defines it. The defaults are those of schedule documents; what is not here (calendars,
/// exclusions, jitter, limits and more) can be had with Scheduler::register_document.
struct ScheduleDefinition {
  std::string id;             // [A-Za-z0-9][A-Za-z0-9._-]{0,127}; ids that differ only in case are the same
  std::string handler{};      // name of the handler that performs its runs; empty: the id
  std::string payload{"{}"};  // JSON, handed to the handler

  // When: all of these together. Without any it is only started by hand.
  std::vector<std::string> cron{};                   // five or six fields, or an alias: "30 2 * * MON-FRI", "@hourly"
  std::optional<std::chrono::microseconds> every{};  // counted from its first registration, at least a second
  std::vector<TimePoint> at{};                       // once each
  std::string timezone{"UTC"};                       // of cron, by its tzdata name: "Europe/Berlin"

  // How.
  bool enabled = true;
  Overlap overlap = Overlap::skip;
  CatchUp catch_up = CatchUp::latest;
  std::int64_t attempt_count_max = 4;                               // 1: no retries
  std::chrono::microseconds retry_delay = std::chrono::minutes{1};  // doubles with every attempt, up to ten times this
  std::optional<std::chrono::microseconds> timeout{};               // of one attempt
  std::int64_t priority = 0;                                        // -100 to 100, higher first

  // For people.
  std::string name{};  // empty: the id
  std::string description{};
};

/// A schedule as it is now.
struct ScheduleInfo {
  enum class Status {
    active,
    paused,
    disabled,
    done,  // it will never start again by itself: its times are over, or its limit is reached
    dead,  // too many failures in a row; Scheduler::reset brings it back
  };

  std::string id;
  std::string name;
  std::string handler;  // empty: an action that this library does not perform
  Status status = Status::active;
  std::optional<TimePoint> next_run{};  // nominal; none unless active
  bool has_failed = false;              // its newest run that has ended did
  std::int64_t open_count = 0;          // runs that are queued, running or to be tried again
  std::int64_t waiting_count = 0;       // occurrences that wait for their turn
  std::int64_t run_count = 0;           // runs ever started
  std::int64_t success_count = 0;
  std::int64_t error_count = 0;
  std::int64_t skip_count = 0;
  std::int64_t revision = 0;  // counts changes of its definition and status
  TimePoint created_at{};
  std::string document;   // the whole definition, canonical JSON
  std::string problem{};  // why nothing can be decided about it, e.g. an unknown time zone; mostly empty
};

/// A start that lies ahead.
struct UpcomingRun {
  std::string schedule_id;
  TimePoint nominal{};
  TimePoint due{};  // nominal with jitter
};

/// A run, past or present.
struct RunRecord {
  /// Those from `succeeded` on never change again.
  enum class State { waiting, queued, running, retrying, succeeded, failed, timed_out, cancelled, lost, expired };

  std::string run_id;
  std::string run_name;
  std::string source;  // schedule, catchup, trigger or backfill
  TimePoint nominal{};
  TimePoint due{};
  State state = State::queued;
  std::int64_t attempt = 0;               // the newest one; 0 before the first
  std::optional<TimePoint> started_at{};  // of the first attempt
  std::optional<TimePoint> ended_at{};
  std::string error{};                  // of the newest attempt that failed
  std::optional<std::string> result{};  // JSON
};

}  // namespace carillon
