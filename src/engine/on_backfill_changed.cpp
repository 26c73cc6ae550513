#include "engine/refusals.hpp"
#include "engine/step_context.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

std::string_view verb_of(BackfillChanged::Kind kind) {
  switch (kind) {
    case BackfillChanged::Kind::pause: return "pause";
    case BackfillChanged::Kind::resume: return "resume";
    case BackfillChanged::Kind::cancel: return "cancel";
  }
  std::unreachable();
}

bool fits(BackfillChanged::Kind kind, BackfillState state) {
  if (kind == BackfillChanged::Kind::cancel) return true;
  return (kind == BackfillChanged::Kind::pause) == (state == BackfillState::running);
}

// As one that waits is cancelled by itself: its start counts, and has ended.
void cancel_waiting(StepContext& deciding, std::int64_t number) {
  const auto is_of_it = [&](const WaitingStart& waiting) { return waiting.backfill == number; };
  for (const WaitingStart& waiting : deciding.waiting) {
    if (!is_of_it(waiting)) continue;
    count_start(deciding, waiting.source);
    deciding.out.orders.push_back({.seq = waiting.seq, .kind = RunOrder::Kind::cancel});
  }
  const auto rest = std::ranges::remove_if(deciding.waiting, is_of_it);
  deciding.waiting.erase(rest.begin(), rest.end());
}

void cancel_runs(StepContext& deciding, std::int64_t number) {
  cancel_waiting(deciding, number);
  for (const LiveRun& run : deciding.view.live)
    if (run.backfill == number && is_open(run))
      deciding.out.orders.push_back({.seq = run.seq, .kind = RunOrder::Kind::cancel});
}

void change(StepContext& deciding, Backfill& backfill, BackfillChanged::Kind kind) {
  switch (kind) {
    case BackfillChanged::Kind::pause: backfill.state = BackfillState::paused; return;
    case BackfillChanged::Kind::resume: backfill.state = BackfillState::running; return;
    case BackfillChanged::Kind::cancel:
      backfill.state = BackfillState::cancelled;
      cancel_runs(deciding, backfill.number);
      return;
  }
}

}  // namespace

Result<> on(StepContext& deciding, const BackfillChanged& event) {
  Backfill* backfill = find_backfill(deciding, event.id);
  if (!backfill) return fail(ErrorCode::not_found, "no open backfill has the id {}", event.id);
  if (!fits(event.kind, backfill->state)) {
    Error error = fail(ErrorCode::invalid_argument, "Cannot {} backfill with state '{}'", verb_of(event.kind),
                       to_text(backfill->state))
                      .error();
    error.rule = "wrong-status";
    return std::unexpected(std::move(error));
  }
  change(deciding, *backfill, event.kind);
  bring_up_to_date(deciding);
  return {};
}

}  // namespace carillon
