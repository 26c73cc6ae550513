#include "simulation/invariants/evidence.hpp"
#include "support/sort_by.hpp"

#include <algorithm>
#include <ranges>

// I9: what waits has a cause, is bounded, and is released in order, before anything that came later.

namespace carillon::simulation {
namespace {

struct Waiter {
  const DecisionStory* decision;
  StepSpan span;
  bool was_held_back;  // it had been queued before
};

// All that ever waited, by the step at which they began to. Who waited at a step is found without looking at all.
class Waiters {
 public:
  Waiters(const Evidence& evidence, const Life& life) {
    for (const std::size_t index : life.decisions) {
      const DecisionStory& decision = evidence.story.decisions[index];
      for (const StepSpan& span : waiting_spans(decision))
        all_.push_back({&decision, span, span.from != decision.first().moment.step});
    }
    testing::sort_by(all_, [](const Waiter& waiter) { return waiter.span.from; });
    for (const Waiter& waiter : all_)
      latest_end_.push_back(std::max(waiter.span.to, latest_end_.empty() ? waiter.span.to : latest_end_.back()));
  }

  [[nodiscard]] const std::vector<Waiter>& all() const { return all_; }

  /// The newest of those that waited at a step for which `chosen` is true; null if there is none.
  template <typename Chosen>
  [[nodiscard]] const Waiter* find_at(std::int64_t step, Chosen chosen) const {
    const auto began = std::ranges::upper_bound(all_, step, {}, [](const Waiter& waiter) { return waiter.span.from; });
    for (auto i = static_cast<std::size_t>(began - all_.begin()); i-- > 0 && latest_end_[i] > step;)
      if (all_[i].span.contains(step) && chosen(all_[i])) return &all_[i];
    return nullptr;
  }

 private:
  std::vector<Waiter> all_;
  std::vector<std::int64_t> latest_end_;  // of those up to each
};

std::optional<std::int64_t> limit_of(const Policies& policies, bool is_held) {
  switch (policies.overlap) {
    case OverlapPolicy::buffer_one:
    case OverlapPolicy::buffer_latest:
    case OverlapPolicy::cancel_other:
    case OverlapPolicy::terminate_other: return 1;
    case OverlapPolicy::buffer_all: return policies.buffer_limit;
    // In a pause that keeps what it misses, even these wait.
    case OverlapPolicy::skip: return is_held ? 1 : 0;
    case OverlapPolicy::allow_all:
      // Nothing bounds what it would have let through but catching up.
      if (is_held) return std::nullopt;
      return 0;
  }
  return std::nullopt;
}

void check_limit(const Life& life, const Waiters& waiters, const Waiter& waiter, Findings& findings) {
  const std::int64_t step = waiter.span.from;
  const Revision* const revision = life.definition(waiter.decision->first().revision);
  if (revision == nullptr || waiter.was_held_back || !is_automatic(*waiter.decision)) return;
  std::int64_t count = 0;
  (void)waiters.find_at(step, [&](const Waiter& other) {
    count += is_automatic(*other.decision) && !other.was_held_back &&
             other.decision->line.head.seq <= waiter.decision->line.head.seq;
    return false;
  });
  // Kept through a pause, they may exceed what the policy would keep while it is active: see settle_pause.
  const bool is_held = revision->document.policies.pause.missed == PauseMissed::buffer;
  const auto limit = limit_of(revision->document.policies, is_held);
  findings.fact("I9");
  if (limit && count > *limit)
    findings.violation("I9", life.schedule, "{} wait with {}, the policy {} keeps {}", count,
                       to_text(waiter.decision->line.nominal), to_text(revision->document.policies.overlap), *limit);
}

bool was_open(const Evidence& evidence, const DecisionStory& other, const Phase& phase) {
  for (const StepSpan& span : open_spans(other)) {
    if (span.contains(phase.moment.step)) return true;
    // It was open when the decision was made, and had ended when it was written.
    if (other.ended && span.from < phase.moment.step && other.ended->store >= phase.at &&
        evidence.world.is_steady(other.ended->time, phase.moment.time))
      return true;
    if (other.ended && !evidence.world.is_steady(other.ended->time, phase.moment.time)) return true;
  }
  return false;
}

void check_cause(const Evidence& evidence, const Life& life, const Waiters& waiters, const Waiter& waiter,
                 Findings& findings) {
  if (waiter.was_held_back) return;
  const Phase& phase = waiter.decision->first();
  findings.fact("I9");
  if (life.status_at(phase.moment.step) != ScheduleStatus::active ||
      life.status_at(phase.moment.step - 1) != ScheduleStatus::active)
    return;
  const auto is_other = [&](const Waiter& other) { return other.decision != waiter.decision; };
  if (waiters.find_at(phase.moment.step, is_other)) return;
  const auto is_holding = [&](std::size_t index) {
    const DecisionStory& other = evidence.story.decisions[index];
    return &other != waiter.decision && was_open(evidence, other, phase);
  };
  // Whoever holds the slot was decided not long before: look back from the waiting one, then at the rest.
  const auto own = std::ranges::find_if(
      life.decisions, [&](std::size_t index) { return &evidence.story.decisions[index] == waiter.decision; });
  const std::ranges::subrange before{life.decisions.begin(), own};
  if (std::ranges::none_of(before | std::views::reverse, is_holding) &&
      std::none_of(own, life.decisions.end(), is_holding))
    findings.violation("I9", life.schedule, "{} waits, but nothing holds the slot", to_text(phase.at));
}

// Those that waited start in the order of their times, and before what came due later.
void check_order(const Evidence& evidence, const Life& life, const Waiters& waiters, Findings& findings) {
  for (const std::size_t index : life.decisions) {
    const DecisionStory& decision = evidence.story.decisions[index];
    if (!is_automatic(decision)) continue;
    for (const StepSpan& span : open_spans(decision)) {
      findings.fact("I9");
      // A policy that lets all run at once, now or when the other began to wait, knows no order.
      const Revision* const revision = life.definition(decision.line.revision);
      if (revision == nullptr || revision->document.policies.overlap == OverlapPolicy::allow_all) continue;
      const auto is_overtaken = [&](const Waiter& waiter) {
        const bool has_come_first = waiter.decision->line.nominal < decision.line.nominal;
        return waiter.decision != &decision && is_automatic(*waiter.decision) && has_come_first &&
               waiter.span.from < span.from;
      };
      if (const Waiter* const overtaken = waiters.find_at(span.from, is_overtaken))
        findings.violation("I9", life.schedule, "{} started while {} was waiting", to_text(decision.line.nominal),
                           to_text(overtaken->decision->line.nominal));
    }
  }
}

}  // namespace

void check_waiting(const Evidence& evidence, Findings& findings) {
  for (const auto& [key, life] : evidence.story.lives) {
    const Waiters waiters{evidence, life};
    if (waiters.all().empty()) continue;
    for (const Waiter& waiter : waiters.all()) {
      check_limit(life, waiters, waiter, findings);
      check_cause(evidence, life, waiters, waiter, findings);
    }
    check_order(evidence, life, waiters, findings);
  }
}

}  // namespace carillon::simulation
