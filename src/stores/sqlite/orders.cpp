#include "engine/run_order.hpp"
#include "stores/sqlite/run_changes.hpp"
#include "stores/sqlite/transition_writing.hpp"

#include <optional>

namespace carillon::sqlite {
namespace {

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
    rows::mark_started(*run, writing.stamp());
  }
  TRY(change_run(writing.tables, *run, *next, writing.now));
  writing.tables.feed.note(event_of_order(written_row(*run, writing.now), order, *next));
  // What is withdrawn stays among the live ones, so that the schedule learns that its start has become a skip.
  rows::follow_order(*run, order, writing.stamp());
  return writing.tables.runs.save_decision(*run);
}

}  // namespace

Result<> carry_out_orders(Writing& writing) {
  for (const RunOrder& order : writing.transition.orders) TRY(carry_out(writing, order));
  return {};
}

}  // namespace carillon::sqlite
