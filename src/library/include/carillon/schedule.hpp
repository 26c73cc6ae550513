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
  cancel_other,     // the active run is asked to stop; the new one starts when it has ended
  terminate_other,  // as cancel_other: a handler cannot be ended by force
  allow_all,        // it starts at once, beside the active run
};

/// Which occurrences are started that came due while no process decided: the newest one, all, or none.
enum class CatchUp { latest, all, none };

/// A schedule as code defines it. The defaults are those of schedule documents. What has no member here (calendars,
/// exclusions, jitter, limits and more) can be set with Scheduler::register_document.
struct ScheduleDefinition {
  std::string id;             // [A-Za-z0-9][A-Za-z0-9._-]{0,127}; ids that differ only in case are the same
  std::string handler{};      // name of the handler that performs its runs; if empty, the id
  std::string payload{"{}"};  // JSON, handed to the handler

  // When: the union of these. Without any of them the schedule runs only when it is triggered.
  std::vector<std::string> cron{};                   // five or six fields, or an alias: "30 2 * * MON-FRI", "@hourly"
  std::optional<std::chrono::microseconds> every{};  // counted from its first registration; at least one second
  std::vector<TimePoint> at{};                       // once each
  std::string timezone{"UTC"};                       // of the crons, a tzdata name: "Europe/Berlin"

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

/// A schedule as it was when it was read.
struct ScheduleInfo {
  enum class Status {
    active,
    paused,
    disabled,
    done,  // no start is left: its times are over, or its limit is reached
    dead,  // too many failures in a row; Scheduler::reset makes it active again
  };

  std::string id;
  std::string name;
  std::string handler;  // empty if its action is one that only a server performs
  Status status = Status::active;
  std::optional<TimePoint> next_run{};  // nominal; none unless active
  bool has_failed = false;              // its newest run that has ended failed, timed out or was lost
  std::int64_t open_count = 0;          // runs that are queued, running or to be tried again
  std::int64_t waiting_count = 0;       // occurrences that wait for their turn
  std::int64_t run_count = 0;           // runs ever started
  std::int64_t success_count = 0;
  std::int64_t error_count = 0;
  std::int64_t skip_count = 0;
  std::int64_t revision = 0;  // counts changes of its definition and status
  TimePoint created_at{};
  std::string document;   // the whole definition, canonical JSON
  std::string problem{};  // why it cannot be decided, e.g. an unknown time zone; usually empty
};

/// A planned start.
struct UpcomingRun {
  std::string schedule_id;
  TimePoint nominal{};
  TimePoint due{};  // nominal with jitter
};

/// A run, past or present.
struct RunRecord {
  /// A run in `succeeded` or a state after it has ended and does not change any more.
  enum class State { waiting, queued, running, retrying, succeeded, failed, timed_out, cancelled, lost, expired };

  std::string run_id;
  std::string run_name;
  std::string schedule_id;
  std::string source;  // schedule, catchup, trigger or backfill
  TimePoint nominal{};
  TimePoint due{};
  State state = State::queued;
  std::int64_t attempt = 0;               // the newest one; 0 before the first
  std::optional<TimePoint> started_at{};  // of the first attempt
  std::optional<TimePoint> ended_at{};
  std::string error{};                  // of the newest attempt that failed
  std::optional<std::string> result{};  // JSON

  [[nodiscard]] bool has_ended() const { return state >= State::succeeded; }
};

/// What became of an occurrence, or what will.
struct OccurrenceRecord {
  enum class Decision { started, waiting, skipped, planned };

  TimePoint nominal{};
  Decision decision = Decision::planned;
  std::string reason{};            // of a skip, one word: `overlap`, `paused`, `superseded` …
  std::int64_t count = 1;          // occurrences that were skipped in a row for this reason
  TimePoint last{};                // nominal time of the last of them; else equal to `nominal`
  std::optional<RunRecord> run{};  // if it was started or waits
};

/// Why an occurrence was, or will be, decided as it was.
struct Explanation {
  std::string sentence;                          // for people
  std::optional<OccurrenceRecord> occurrence{};  // none: the schedule has none at that time
  std::optional<TimePoint> occurrence_before{};  // the nearest ones, if there is none
  std::optional<TimePoint> occurrence_after{};
};

}  // namespace carillon
