#include "simulation/shrink.hpp"

#include "base/duration_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace carillon::simulation {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

template <typename T, typename Key>
void keep_only(std::vector<T>& list, const std::optional<std::vector<Key>>& kept, Key T::* member) {
  if (kept) std::erase_if(list, [&](const T& one) { return std::ranges::find(*kept, one.*member) == kept->end(); });
}

// Calls and faults about what is not there any more go with it.
void drop_orphans(Plan& plan) {
  const auto has_schedule = [&](const std::string& id) {
    return std::ranges::find(plan.schedules, id, &PlannedSchedule::id) != plan.schedules.end();
  };
  std::erase_if(plan.calls, [&](const PlannedCall& call) { return !has_schedule(call.schedule); });
}

class Shrinker {
 public:
  Shrinker(Plan plan, Violation violation, const RunOptions& options, int tries_max)
      : plan_{std::move(plan)}, violation_{std::move(violation)}, options_{options}, tries_max_{tries_max} {}

  Shrunken run() {
    for (bool is_smaller = true; is_smaller && tries_ < tries_max_;) {
      is_smaller = false;
      is_smaller |= shorten();
      is_smaller |= thin_out(&Plan::schedules);
      is_smaller |= thin_out(&Plan::faults);
      is_smaller |= thin_out(&Plan::calls);
      is_smaller |= thin_out(&Plan::actors);
    }
    return {plan_, violation_, tries_};
  }

 private:
  bool still_fails(const Plan& candidate) {
    if (tries_ >= tries_max_) return false;
    ++tries_;
    const Outcome outcome = simulate(candidate, options_);
    const auto& violations = outcome.findings.violations();
    const auto same = std::ranges::find(violations, violation_.invariant, &Violation::invariant);
    if (same == violations.end()) return false;
    violation_ = *same;
    return true;
  }

  // Parts of a list go, first halves, then smaller ones, down to single elements.
  template <typename T>
  bool thin_out(std::vector<T> Plan::* list) {
    bool is_smaller = false;
    for (std::size_t length = (plan_.*list).size() / 2; length > 0; length /= 2) {
      for (std::size_t from = 0; from < (plan_.*list).size();) {
        Plan candidate = plan_;
        auto& elements = candidate.*list;
        const std::size_t to = std::min(from + length, elements.size());
        elements.erase(std::next(elements.begin(), static_cast<std::ptrdiff_t>(from)),
                       std::next(elements.begin(), static_cast<std::ptrdiff_t>(to)));
        drop_orphans(candidate);
        const bool is_possible = !candidate.actors.empty() && !candidate.schedules.empty();
        if (is_possible && still_fails(candidate)) {
          plan_ = std::move(candidate);
          is_smaller = true;
        } else {
          from = to;
        }
      }
      if (length == 1) break;
    }
    return is_smaller;
  }

  bool shorten() {
    bool is_smaller = false;
    while (plan_.troubled > minutes{20}) {
      Plan candidate = plan_;
      candidate.troubled = std::chrono::floor<minutes>(plan_.troubled * 2 / 3);
      std::erase_if(candidate.faults, [&](const Fault& fault) { return fault.at >= candidate.troubled; });
      std::erase_if(candidate.calls, [&](const PlannedCall& call) { return call.at >= candidate.troubled; });
      if (!still_fails(candidate)) break;
      plan_ = std::move(candidate);
      is_smaller = true;
    }
    return is_smaller;
  }

  Plan plan_;
  Violation violation_;
  const RunOptions& options_;
  int tries_max_;
  int tries_ = 0;
};

template <typename T, typename Key>
std::string listed(const std::vector<T>& list, Key T::* member) {
  std::vector<std::string> names;
  for (const T& one : list) names.push_back(fmt::format("{}", one.*member));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

Plan select(Plan plan, const Selection& selection) {
  keep_only(plan.faults, selection.faults, &Fault::number);
  keep_only(plan.calls, selection.calls, &PlannedCall::number);
  keep_only(plan.actors, selection.actors, &PlannedActor::number);
  keep_only(plan.schedules, selection.schedules, &PlannedSchedule::id);
  if (selection.troubled) plan.troubled = *selection.troubled;
  drop_orphans(plan);
  return plan;
}

std::string options_text(const Plan& plan) {
  return fmt::format("--seed {} --troubled {} --schedules {} --actors {} --calls {} --faults {}", plan.seed,
                     to_text(plan.troubled), listed(plan.schedules, &PlannedSchedule::id),
                     listed(plan.actors, &PlannedActor::number), listed(plan.calls, &PlannedCall::number),
                     listed(plan.faults, &Fault::number));
}

Shrunken shrink(Plan plan, const Violation& violation, const RunOptions& options, int tries_max) {
  return Shrinker{std::move(plan), violation, options, tries_max}.run();
}

}  // namespace carillon::simulation
