#include "engine/step_context.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

// Automatic occurrences that start or wait are never taken back by a clock that was wrong.
void note_done(ScheduleState& state, const Decision& decision) {
  if (is_automatic(decision.source)) state.started_until = std::max(state.started_until, decision.nominal);
}

void wait(StepContext& deciding, Decision decision) {
  note_done(deciding.state(), decision);
  deciding.waiting.push_back({.seq = {},
                              .decision = deciding.out.decisions.size(),
                              .nominal = decision.nominal,
                              .due = decision.due,
                              .source = decision.source,
                              .overlap = decision.overlap,
                              .backfill = decision.backfill});
  decision.verdict = Waits{};
  deciding.out.decisions.push_back(std::move(decision));
}

void skip_one_waiting(StepContext& deciding, const WaitingStart& waiting, SkipReason reason) {
  ScheduleState& state = deciding.state();
  count_one_skip(state, reason, waiting.source, waiting.nominal);
  if (waiting.seq == Seq{}) {
    deciding.out.decisions[waiting.decision].verdict = Skips{reason};
    return;
  }
  if (waiting.is_held_back) uncount_start(state, waiting.source, waiting.seq);
  deciding.out.resolutions.push_back({.seq = waiting.seq, .verdict = Skips{reason}});
}

bool any(const WaitingStart&) { return true; }
bool is_own(const WaitingStart& waiting) { return is_automatic(waiting.source); }

enum class Launching { allowed, held };

// Whatever takes the slot now, nothing of it was there when this came due, because nobody decided then. What was there
// has a row from before the outage.
bool came_due_in_an_outage(const StepContext& deciding, const Decision& decision) {
  const auto outage = std::ranges::find_if(
      deciding.view.outages, [&](const Outage& one) { return covers(one, decision.due) && one.to <= deciding.now; });
  if (!is_automatic(decision.source) || outage == deciding.view.outages.end()) return false;
  const auto was_there = [&](const LiveRun& run) {
    return run.seq < outage->seq && (is_waiting(run) || (is_open(run) && run.holds_slot));
  };
  return std::ranges::none_of(deciding.view.live, was_there);
}

void skip_by_overlap(StepContext& deciding, Decision decision) {
  const bool is_by_outage = came_due_in_an_outage(deciding, decision);
  skip(deciding, std::move(decision), is_by_outage ? SkipReason::outage : SkipReason::overlap);
}

// The newest takes the place of all that wait; one that is itself held does not push a user's command aside.
void replace_waiting(StepContext& deciding, Launching launching) {
  skip_waiting(deciding, SkipReason::superseded, launching == Launching::held ? is_own : any);
}

void take_back(StepContext& deciding, Verdict& verdict, Source source, Instant nominal) {
  verdict = Skips{SkipReason::superseded};
  count_one_skip(deciding.state(), SkipReason::superseded, source, nominal);
  uncount_start(deciding.state(), source, {});
  --deciding.open;
  --deciding.slot_holders;
  deciding.automatic_open -= is_automatic(source);
}

// What this very step was about to start gives way without having begun. A backfill goes on with its next occurrence.
void give_way(StepContext& deciding) {
  for (const Released& released : deciding.released) {
    take_back(deciding, deciding.out.resolutions[released.resolution].verdict, released.source, released.nominal);
    deciding.has_more |= released.backfill != 0;
  }
  deciding.released.clear();
  for (Decision& decision : deciding.out.decisions) {
    const bool has_own_lane = decision.backfill != 0 && !decision.overlap;
    if (!std::holds_alternative<Starts>(decision.verdict) || !decision.holds_slot || has_own_lane) continue;
    take_back(deciding, decision.verdict, decision.source, decision.nominal);
    deciding.has_more |= decision.backfill != 0;
  }
}

void replace_others(StepContext& deciding, Decision decision, RunOrder::Kind kind, Launching launching) {
  replace_waiting(deciding, launching);
  if (launching == Launching::held) return wait(deciding, std::move(decision));
  give_way(deciding);
  if (deciding.slot_holders == 0) return start(deciding, std::move(decision));
  // A queued one could be ended here and now, but a worker may be claiming it: the new one waits until that is known.
  stop_others(deciding, kind);
  wait(deciding, std::move(decision));
}

}  // namespace

void stop_others(StepContext& deciding, RunOrder::Kind kind) {
  const auto is_ordered = [&](const LiveRun& run) {
    if (run.is_stopping && kind == RunOrder::Kind::cancel) return true;
    return std::ranges::find(deciding.out.orders, RunOrder{.seq = run.seq, .kind = kind}) != deciding.out.orders.end();
  };
  for (const LiveRun& run : deciding.view.live)
    if (is_open(run) && run.holds_slot && !is_ordered(run))
      deciding.out.orders.push_back({.seq = run.seq, .kind = kind});
}

void skip(StepContext& deciding, Decision decision, SkipReason reason) {
  count_one_skip(deciding.state(), reason, decision.source, decision.nominal);
  decision.verdict = Skips{reason};
  deciding.out.decisions.push_back(std::move(decision));
}

void start(StepContext& deciding, Decision decision) {
  note_done(deciding.state(), decision);
  count_start(deciding, decision.source);
  ++deciding.open;
  deciding.slot_holders += decision.holds_slot;
  deciding.automatic_open += is_automatic(decision.source);
  decision.verdict = starts_now(deciding);
  deciding.out.decisions.push_back(std::move(decision));
}

void skip_waiting(StepContext& deciding, SkipReason reason, const std::function<bool(const WaitingStart&)>& chosen) {
  for (const WaitingStart& waiting : deciding.waiting)
    if (chosen(waiting)) skip_one_waiting(deciding, waiting, reason);
  const auto rest = std::ranges::remove_if(deciding.waiting, chosen);
  deciding.waiting.erase(rest.begin(), rest.end());
}

void admit(StepContext& deciding, Decision decision, OverlapPolicy policy) {
  if (is_automatic(decision.source) && is_exhausted(deciding))
    return skip(deciding, std::move(decision), SkipReason::exhausted);

  // In a pause that keeps what it misses, occurrences queue up before a slot that nobody may take.
  const bool is_held = deciding.is_held(decision.source);
  const Launching launching = is_held ? Launching::held : Launching::allowed;
  const bool is_free = deciding.slot_holders == 0 && (!is_held || deciding.waiting.empty());
  if (!is_held && (is_free || policy == OverlapPolicy::allow_all)) return start(deciding, std::move(decision));
  if (is_free) return wait(deciding, std::move(decision));

  const auto limit = static_cast<std::size_t>(deciding.policies().buffer_limit);
  switch (policy) {
    case OverlapPolicy::skip: return skip_by_overlap(deciding, std::move(decision));
    case OverlapPolicy::buffer_one:
      if (!deciding.waiting.empty()) return skip_by_overlap(deciding, std::move(decision));
      return wait(deciding, std::move(decision));
    case OverlapPolicy::buffer_latest: replace_waiting(deciding, launching); return wait(deciding, std::move(decision));
    case OverlapPolicy::allow_all: return wait(deciding, std::move(decision));
    case OverlapPolicy::buffer_all:
      if (deciding.waiting.size() >= limit) return skip(deciding, std::move(decision), SkipReason::buffer_full);
      return wait(deciding, std::move(decision));
    case OverlapPolicy::cancel_other:
      return replace_others(deciding, std::move(decision), RunOrder::Kind::cancel, launching);
    case OverlapPolicy::terminate_other:
      return replace_others(deciding, std::move(decision), RunOrder::Kind::terminate, launching);
  }
  std::unreachable();
}

}  // namespace carillon
