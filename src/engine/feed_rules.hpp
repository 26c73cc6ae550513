#pragma once

#include "base/instant.hpp"
#include "engine/backfill.hpp"
#include "engine/feed_event.hpp"
#include "engine/keys.hpp"
#include "engine/run.hpp"
#include "engine/run_order.hpp"
#include "engine/transition.hpp"

#include <optional>

namespace carillon {

// Which events follow which write, said once for every store. A store calls these with what it has written, and writes
// the events with it, in the same transaction and in the order of the rows; their positions are the store's to give.
// What was refused, or changes nothing, has no event.

/// What was written, and when by the store's clock.
struct WrittenRow {
  Uid uid{};  // zero: a job without a schedule
  Seq seq{};  // of the decision, its run or the line; none of a whole schedule
  Instant at;
};

/// A new decision, or the end of a wait. None of what begins to wait.
[[nodiscard]] std::optional<FeedEvent> event_of_verdict(const WrittenRow& decision, const Verdict& verdict);
/// Occurrences skipped in a row.
[[nodiscard]] FeedEvent event_of_skipped_range(const WrittenRow& line);
[[nodiscard]] FeedEvent event_of_change(const WrittenRow& line, const Change& change);
[[nodiscard]] FeedEvent event_of_backfill(const WrittenRow& line, const Backfill& backfill);
/// An order that was obeyed, after which the run is `next`. None if the run goes on or its decision waits again.
[[nodiscard]] std::optional<FeedEvent> event_of_order(const WrittenRow& run, const RunOrder& order, const Run& next);
/// A schedule that was set aside.
[[nodiscard]] FeedEvent event_of_quarantine(const WrittenRow& schedule);

/// A job without a schedule that was queued.
[[nodiscard]] FeedEvent event_of_job(const WrittenRow& run);
[[nodiscard]] FeedEvent event_of_claim(const WrittenRow& run);
/// A run that was written by the run machine, and is `next` now. None if it goes on.
[[nodiscard]] std::optional<FeedEvent> event_of_run(const WrittenRow& run, const Run& next);

}  // namespace carillon
