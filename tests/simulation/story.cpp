#include "simulation/story.hpp"

#include "engine/schedule_state.hpp"

#include <algorithm>
#include <iterator>

namespace carillon::simulation {

const Revision* Life::definition(std::int64_t revision) const {
  const auto after = revisions.upper_bound(revision);
  return after == revisions.begin() ? nullptr : &std::prev(after)->second;
}

const ChangeStory* Life::deletion() const {
  const auto found = std::ranges::find(changes, ChangeKind::deleted, [](const ChangeStory& c) { return c.line.kind; });
  return found == changes.end() ? nullptr : &*found;
}

ScheduleStatus Life::status_at(std::int64_t step) const {
  ScheduleStatus status = ScheduleStatus::active;
  for (const StatusPhase& phase : statuses) {
    if (phase.moment.step > step) break;
    status = phase.status;
  }
  return status;
}

bool Life::is_resting_at(std::int64_t step) const {
  bool is_paused = false;
  bool is_disabled = false;
  for (const ChangeStory& change : changes) {
    if (change.moment.step > step) break;
    const ChangeKind kind = change.line.kind;
    if (kind == ChangeKind::paused || kind == ChangeKind::resumed) is_paused = kind == ChangeKind::paused;
    if (kind == ChangeKind::enabled || kind == ChangeKind::disabled) is_disabled = kind == ChangeKind::disabled;
    const auto brought = revisions.find(change.line.revision);
    if (brought != revisions.end()) is_disabled = !brought->second.document.enabled;
  }
  return is_paused || is_disabled;
}

const DecisionStory* Story::decision(Seq seq) const {
  const auto found = decision_of.find(seq);
  return found == decision_of.end() ? nullptr : &decisions[found->second];
}

const Life& Story::life_of(const DecisionStory& decision) const {
  return lives.at({decision.line.head.schedule.text(), decision.line.head.incarnation});
}

bool is_automatic(const DecisionStory& decision) { return carillon::is_automatic(decision.line.source); }

bool has_started(const DecisionStory& decision) { return decision.line.outcome == DecisionOutcome::started; }

}  // namespace carillon::simulation
