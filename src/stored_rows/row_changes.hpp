#pragma once

#include "base/instant.hpp"
#include "engine/attempt_end.hpp"
#include "engine/keys.hpp"
#include "engine/run_order.hpp"
#include "engine/transition.hpp"
#include "ports/run_queue.hpp"
#include "stored_rows/stored_run.hpp"

#include <cstdint>

namespace carillon::rows {

// What writing changes in the row of a decision or a schedule, for every store that keeps rows. Pure: how rows are read
// and written is the store's.

/// Who writes, and when.
struct LineStamp {
  std::int64_t server = 0;
  Instant at;  // what the lines say
};

/// The row of a new decision, as its verdict makes it.
[[nodiscard]] StoredRun decided_row(const Transition& transition, const Decision& decision, Uid uid, Seq seq,
                                    const LineStamp& stamp);
/// A job without a schedule, queued now.
[[nodiscard]] StoredRun job_row(const AdhocRun& job, Seq seq, Instant now);

/// The run that a start makes, before anybody claims it.
[[nodiscard]] Run run_of(const Starts& starts);
/// What a start makes of a decision. Its run is the caller's to change.
void take_over(StoredRun& run, const Starts& starts, const LineStamp& stamp);
/// The line says `started` from now on.
void mark_started(StoredRun& run, const LineStamp& stamp);
/// The line says `skipped` from now on, and there is no run any more.
void mark_skipped(StoredRun& run, SkipReason reason, const LineStamp& stamp);
/// After an order was obeyed: what became of the decision it hangs on.
void follow_order(StoredRun& run, const RunOrder& order, const LineStamp& stamp);

/// The flags of a run that becomes `next`.
[[nodiscard]] std::int64_t flags_after(std::int64_t flags, const Run& next);
/// The flags of a schedule whose state becomes `next`.
[[nodiscard]] std::int64_t flags_after(std::int64_t flags, const ScheduleState& next);
/// Whether something is decided before its nominal time: by a user's command, or under a clock that has been wrong.
[[nodiscard]] bool is_ahead(const Transition& transition, Instant at);

/// It waits for a worker.
[[nodiscard]] inline bool is_ready(const Run& run) {
  return run.state == RunState::queued || run.state == RunState::retrying;
}
/// Its worker is to be told to stop it.
[[nodiscard]] inline bool is_being_stopped(const Run& run) {
  return run.state == RunState::running && run.stop != Stop::none;
}
/// Whether the run is as the update was decided from, and may change by the run machine at all: a waiting decision is
/// its schedule's to change, and what has ended stays as it is.
[[nodiscard]] bool fits(const QueuedRun& row, const RunUpdate& update);
/// Whether the end of an attempt says anything beyond how it ended.
[[nodiscard]] bool has_content(const AttemptEnd& end);

}  // namespace carillon::rows
