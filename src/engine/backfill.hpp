#pragma once

#include "base/instant.hpp"
#include "definitions/on_create.hpp"
#include "definitions/words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// A request to run the occurrences in [from, to): beside the automatic runs of the schedule, with a concurrency of its
/// own, or with an overlap policy through the schedule's slot. Pauses, limits, grace and catch-up do not apply to it.
struct Backfill {
  std::int64_t number = 0;  // within its schedule, from 1
  std::string id;           // for users; part of the names of its runs
  Instant from;
  Instant to;
  BackfillOrder order = BackfillOrder::oldest_first;
  Reprocess reprocess = Reprocess::missing;
  std::int64_t concurrency = 1;
  bool is_exclusive = false;  // takes the schedule's slot, and waits for it
  /// Each occurrence is decided by it, in order, as if it came due now; those that wait count for the concurrency.
  /// None: a lane of its own.
  std::optional<OverlapPolicy> overlap{};
  BackfillState state = BackfillState::running;
  Instant cursor;         // left to do: [cursor, to), or [from, cursor) if newest first
  std::int64_t done = 0;  // occurrences behind the cursor, started or passed over
  std::int64_t total = 0;
  std::int64_t started = 0;

  friend bool operator==(const Backfill&, const Backfill&) = default;
};

/// A backfill as it is requested; its number, cursor and progress come later.
[[nodiscard]] Backfill new_backfill(const BackfillOptions& options, std::string id);

inline constexpr std::int64_t backfill_total_max = 100'000;

/// Ended without success, and not because a user wanted it to end.
[[nodiscard]] constexpr bool has_failed(RunState state) {
  return state == RunState::failed || state == RunState::timed_out || state == RunState::lost;
}

/// The newest run of an occurrence.
struct PastRun {
  Instant nominal;
  RunState state;
  bool is_automatic = true;  // one of its runs was made by the schedule itself
  friend bool operator==(const PastRun&, const PastRun&) = default;
};

/// Whether a backfill starts an occurrence, given its newest run; null: it has none.
[[nodiscard]] constexpr bool is_wanted(Reprocess reprocess, const PastRun* past) {
  if (past == nullptr || reprocess == Reprocess::all) return true;
  return reprocess == Reprocess::failed && has_failed(past->state);
}

/// A backfill with what is known of the next part of its range.
struct BackfillView {
  Backfill record;
  /// Of the occurrences between the record's cursor and `known_to`, those that have a run; ascending. With
  /// Reprocess::all nothing needs to be known.
  std::vector<PastRun> past;
  Instant known_to;

  friend bool operator==(const BackfillView&, const BackfillView&) = default;
};

/// Whether it may still start runs, now or when a run ends.
[[nodiscard]] constexpr bool is_open(BackfillState state) { return state <= BackfillState::paused; }

}  // namespace carillon
