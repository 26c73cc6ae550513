#include "engine/refusals.hpp"
#include "engine/step_context.hpp"

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

void cancel_runs(StepContext& deciding, std::int64_t number) {
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
