#include "engine/refusals.hpp"
#include "engine/step_context.hpp"

namespace carillon {
namespace {

Result<> check(StepContext& deciding, const Backfill& backfill) {
  if (backfill.from >= backfill.to)
    return std::unexpected(wrong_request("to", "a backfill must end after it begins", backfill.to));
  // Through the slot its occurrences start now, whatever their time.
  if (backfill.to > deciding.now && !backfill.overlap)
    return std::unexpected(wrong_request("to", "a backfill cannot reach into the future", backfill.to));
  if (backfill.concurrency < 1 || backfill.concurrency > backfill_concurrency_max)
    return fail(ErrorCode::invalid_argument, "concurrency {} is not between 1 and {}", backfill.concurrency,
                backfill_concurrency_max);
  if (backfill.total > backfill_total_max)
    return fail(ErrorCode::invalid_argument, "a backfill of {} occurrences is more than the limit of {}; split it",
                backfill.total, backfill_total_max);
  if (find_backfill(deciding, backfill.id))
    return fail(ErrorCode::conflict, "backfill {} is already running", backfill.id);
  return {};
}

}  // namespace

Result<> on(StepContext& deciding, const BackfillRequested& event) {
  Backfill backfill = event.backfill;
  backfill.cursor = backfill.order == BackfillOrder::oldest_first ? backfill.from : backfill.to;
  backfill.total = left_of(deciding.definition, backfill);
  TRY(check(deciding, backfill));
  bring_up_to_date(deciding);
  backfill.number = ++deciding.state().backfill_count;
  backfill.done = 0;
  backfill.started = 0;
  backfill.state = backfill.total == 0 ? BackfillState::completed : BackfillState::running;
  // Its first runs start with the next step, when it is known what has run already.
  deciding.has_more |= backfill.state == BackfillState::running;
  deciding.out.backfills.push_back(backfill);
  return {};
}

}  // namespace carillon
