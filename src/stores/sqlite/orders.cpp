#include "engine/run_order.hpp"
#include "stores/sqlite/row_flags.hpp"
#include "stores/sqlite/run_changes.hpp"
#include "stores/sqlite/transition_writing.hpp"

#include <optional>

namespace carillon::sqlite {
namespace {

/// It never happened. It stays among the live ones, so that the schedule learns that its start has become a skip.
void withdraw(const Writing& writing, StoredRun& run, SkipReason reason) {
  // The version belongs to the time of the first decision, which the line no longer tells.
  run.version = 0;
  mark_skipped(writing, run, reason);
}

void let_wait_again(const Writing& writing, StoredRun& run) {
  // All the time since it was first decided has become waiting.
  if (!run.waited_from) run.waited_from = run.at;
  run.at = writing.at;
  run.server = writing.server;
  run.outcome = DecisionOutcome::waiting;
  run.flags |= run_flag::held_back;
}

Result<> carry_out(Writing& writing, const RunOrder& order) {
  auto run = TRY(writing.tables.runs.find(order.seq));
  if (!run || run->row.uid != writing.row.uid) return {};
  const bool was_waiting = run->row.run.state == RunState::waiting;
  // What waits ends when that was decided, as its line says, not when it is written.
  const std::optional<Run> next = obey(order, run->row.run, was_waiting ? writing.at : writing.now);
  if (!next) return {};
  if (was_waiting) {
    // There is no run yet whose retries could end.
    if (!is_terminal(next->state)) return {};
    // Cancelled before it could start: the decision counts as a start whose run has ended.
    mark_started(writing, *run);
  }
  TRY(change_run(writing.tables, *run, *next, writing.now));
  writing.tables.feed.note(event_of_order(written_row(*run, writing.now), order, *next));
  if (order.kind == RunOrder::Kind::withdraw) withdraw(writing, *run, order.reason);
  if (order.kind == RunOrder::Kind::hold_back) let_wait_again(writing, *run);
  return writing.tables.runs.save_decision(*run);
}

}  // namespace

Result<> carry_out_orders(Writing& writing) {
  for (const RunOrder& order : writing.transition.orders) TRY(carry_out(writing, order));
  return {};
}

}  // namespace carillon::sqlite
