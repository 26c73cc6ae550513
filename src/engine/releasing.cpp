#include "engine/step_context.hpp"

#include <utility>

namespace carillon {
namespace {

enum class Fate { stays, starts, missed, exhausted };

Fate fate_of(const StepContext& deciding, const WaitingStart& waiting) {
  if (deciding.is_held(waiting.source)) return Fate::stays;
  const Policies& policies = deciding.policies();
  if (is_automatic(waiting.source)) {
    const auto window = window_of(policies.catchup);
    if (window && deciding.now - waiting.due > *window) return Fate::missed;
    const bool is_counted = waiting.is_held_back && is_counted_start(deciding.out.next, waiting.source, waiting.seq);
    if (is_exhausted(deciding, is_counted)) return Fate::exhausted;
  }
  const bool needs_slot = waiting.overlap.value_or(policies.overlap) != OverlapPolicy::allow_all;
  return needs_slot && deciding.slot_holders > 0 ? Fate::stays : Fate::starts;
}

void release(StepContext& deciding, const WaitingStart& waiting) {
  if (!waiting.is_held_back) count_start(deciding, waiting.source);
  ++deciding.open;
  ++deciding.slot_holders;
  deciding.automatic_open += is_automatic(waiting.source);
  deciding.released.push_back({.resolution = deciding.out.resolutions.size(),
                               .nominal = waiting.nominal,
                               .source = waiting.source,
                               .backfill = waiting.backfill});
  deciding.out.resolutions.push_back({.seq = waiting.seq, .verdict = starts_now(deciding)});
}

void give_up(StepContext& deciding, const WaitingStart& waiting, SkipReason reason) {
  if (waiting.is_held_back) uncount_start(deciding.state(), waiting.source, waiting.seq);
  count_one_skip(deciding.state(), reason, waiting.source, waiting.nominal);
  deciding.out.resolutions.push_back({.seq = waiting.seq, .verdict = Skips{reason}});
}

}  // namespace

Starts starts_now(const StepContext& deciding) {
  const ScheduleState& state = deciding.out.next;
  Starts starts{.revision = deciding.definition.revision,
                .queued_at = deciding.now,
                .queue = deciding.definition.queue,
                .priority = deciding.definition.priority,
                .last_success = state.last_success,
                .last_failure = state.last_failure > state.last_success ? state.last_failure : Seq{},
                .repeat_number = state.counts.repeats};
  if (deciding.definition.rules.start_deadline)
    starts.expires_at = deciding.now + *deciding.definition.rules.start_deadline;
  return starts;
}

void release_waiting(StepContext& deciding) {
  const auto is_settled = [&](const WaitingStart& waiting) {
    const Fate fate = fate_of(deciding, waiting);
    switch (fate) {
      case Fate::stays: return false;
      case Fate::starts: release(deciding, waiting); return true;
      case Fate::missed: give_up(deciding, waiting, SkipReason::missed); return true;
      case Fate::exhausted: give_up(deciding, waiting, SkipReason::exhausted); return true;
    }
    std::unreachable();
  };
  // A plain loop: the fate of each depends on those before it.
  auto kept = deciding.waiting.begin();
  for (const WaitingStart& waiting : deciding.waiting)
    if (!is_settled(waiting)) *kept++ = waiting;
  deciding.waiting.erase(kept, deciding.waiting.end());
}

}  // namespace carillon
