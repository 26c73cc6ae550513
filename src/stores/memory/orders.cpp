#include "engine/run_order.hpp"
#include "stores/memory/commit.hpp"
#include "stores/memory/feed.hpp"
#include "stores/memory/run_changes.hpp"

#include <optional>

namespace carillon::memory {
namespace {

void leave_started(Writing& writing, const QueuedRun& row) {
  const auto runs = writing.schedule.started.find(row.nominal);
  runs->second.erase(row.seq);
  if (runs->second.empty()) writing.schedule.started.erase(runs);
}

/// It never happened. The live entry stays, so that the schedule learns that its start has become a skip.
void withdraw(Writing& writing, StoredRun& run, SkipReason reason) {
  const auto live = writing.schedule.live.find(run.row.seq);
  if (live != writing.schedule.live.end()) live->second.withdrawn = reason;
  leave_started(writing, run.row);
  // The version belongs to the time of the first decision, which the line no longer tells.
  writing.tables.ledger.line<DecisionLine>(run.row.seq).version = 0;
  mark_skipped(writing, run, reason);
}

void let_wait_again(Writing& writing, StoredRun& run) {
  const auto live = writing.schedule.live.find(run.row.seq);
  if (live != writing.schedule.live.end()) live->second.is_held_back = true;
  leave_started(writing, run.row);
  auto& line = writing.tables.ledger.line<DecisionLine>(run.row.seq);
  // All the time since it was first decided has become waiting.
  if (!line.waited_from) line.waited_from = line.head.at;
  line.head.at = writing.at;
  line.server = writing.server;
  line.outcome = DecisionOutcome::waiting;
  line.run.reset();
}

void carry_out(Writing& writing, const RunOrder& order) {
  StoredRun* run = writing.tables.find_run(order.seq);
  if (!run || run->row.uid != writing.schedule.state.uid) return;
  const bool was_waiting = run->row.run.state == RunState::waiting;
  // What waits ends when that was decided, as its line says, not when it is written.
  const std::optional<Run> next = obey(order, run->row.run, was_waiting ? writing.at : writing.now);
  if (!next) return;
  if (was_waiting) {
    // There is no run yet whose retries could end.
    if (!is_terminal(next->state)) return;
    // Cancelled before it could start: the decision counts as a start whose run has ended.
    mark_started(writing, *run);
  }
  change_run(writing.tables, *run, *next, writing.now);
  note(writing.tables, event_of_order(written_row(run->row, writing.now), order, *next));
  if (order.kind == RunOrder::Kind::withdraw) return withdraw(writing, *run, order.reason);
  if (order.kind == RunOrder::Kind::hold_back) let_wait_again(writing, *run);
}

}  // namespace

void carry_out_orders(Writing& writing) {
  for (const RunOrder& order : writing.transition.orders) carry_out(writing, order);
}

}  // namespace carillon::memory
