#pragma once

#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/backfill.hpp"
#include "engine/keys.hpp"
#include "engine/outage.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace carillon {

inline constexpr std::size_t skip_reason_count = 12;

/// What was counted so far. A run that has ended is counted with the next decision, so that ending a run need not write
/// its schedule. Exact counts are these plus the ended runs among the live ones (see `counted`).
struct Counts {
  std::int64_t runs = 0;  // started
  std::int64_t successes = 0;
  std::int64_t errors = 0;                                // failed, timed out or lost
  std::int64_t repeats = 0;                               // automatic successes, for totalRepeats
  std::int64_t consecutive_failures = 0;                  // of automatic runs
  std::int64_t starts = 0;                                // automatic, for maxStarts; 0 without it
  std::array<std::int64_t, skip_reason_count> skipped{};  // by SkipReason

  friend bool operator==(const Counts&, const Counts&) = default;
};

/// Everything that must be remembered of a schedule to decide it. Small, because it is written with every decision.
struct ScheduleState {
  Uid uid{};
  std::int64_t version = 0;   // counts writes of this row: the fence. 0 = not written yet
  std::int64_t revision = 0;  // counts changes by users; names the definition in force
  Writer writer{};
  ScheduleStatus status = ScheduleStatus::active;
  Instant created_at{};                 // anchors intervals; of the first life if it was restored from a tombstone
  std::optional<Instant> deleted_at{};  // then this is a tombstone
  std::optional<Instant> paused_at{};   // kept while disabled
  std::optional<Instant> paused_until{};
  Instant cursor{};                // every occurrence up to here is decided, or is not decided at all
  Instant started_until{};         // newest automatic occurrence that started or waits: never taken back
  Instant skipped_until{};         // newest one that was skipped
  Instant closed_until{};          // decided under older zone rules, or before a deletion: never decided again
  Instant own_since{};             // since when its definition is in force: nothing before is caught up
  std::int32_t cursor_offset = 0;  // seconds from UTC at the cursor, by the zone rules it was decided under
  ZoneEdition zone_edition = ZoneEdition::none;
  std::optional<Instant> wake{};    // when to decide again; none: when something happens to it
  bool listens = false;             // the end of one of its runs wakes it at once
  bool has_failed = false;          // its newest ended run did
  std::int64_t backfill_count = 0;  // ever made
  Counts counts;
  Seq last_success{};     // newest run that succeeded, whose result the next one is given
  Seq last_failure{};     // newest run that failed; the next one is told unless one succeeded after it
  Seq starts_since{};     // runs up to here are not among the counted starts
  bool has_note = false;  // a pause or its end has left a note since the definition was written

  friend bool operator==(const ScheduleState&, const ScheduleState&) = default;
};

/// A run of a schedule that waits, is open, or has ended since the schedule was last decided.
struct LiveRun {
  Seq seq{};
  Instant nominal{};
  Instant due{};
  Source source = Source::schedule;
  RunState state = RunState::queued;
  std::optional<SkipReason> withdrawn{};   // was queued, and withdrawn before a worker claimed it
  std::optional<OverlapPolicy> overlap{};  // its own, else the schedule's
  bool holds_slot = true;                  // while it is open, the overlap policy applies to others
  bool is_stopping = false;                // it was asked to stop
  bool is_held_back = false;               // it waits again after it had been queued
  std::int64_t backfill = 0;               // number of the backfill that made it

  friend bool operator==(const LiveRun&, const LiveRun&) = default;
};

[[nodiscard]] constexpr bool is_waiting(const LiveRun& run) { return run.state == RunState::waiting && !run.withdrawn; }
/// Queued, running or retrying.
[[nodiscard]] constexpr bool is_open(const LiveRun& run) {
  return !run.withdrawn && run.state != RunState::waiting && !is_terminal(run.state);
}
/// Made by the schedule itself, not by hand.
[[nodiscard]] constexpr bool is_automatic(Source source) {
  return source == Source::schedule || source == Source::catchup;
}

/// A schedule as a store hands it out: everything `step` needs beside the definition, read at one moment.
struct ScheduleView {
  ScheduleState state;
  std::vector<LiveRun> live;            // ascending by seq
  std::vector<BackfillView> backfills;  // those that are open
  /// Automatic occurrences after the newest due one, or after the cursor, that were started while the clock was wrong.
  /// They are not started again. Ascending; empty unless started_until lies ahead.
  std::vector<Instant> standing{};
  /// The newest outages, ascending. May be empty if none can concern this schedule.
  std::vector<Outage> outages{};
};

/// The state's counts with the ended runs of the view.
[[nodiscard]] Counts counted(const ScheduleView& view);

}  // namespace carillon
