#include "simulation/invariants/evidence.hpp"

#include <algorithm>
#include <map>
#include <set>

// I12: a backfill starts occurrences of its range, each at most once, in one direction, within its concurrency, and
// when it says that it is complete nothing is left.

namespace carillon::simulation {
namespace {

struct BackfillLane {
  const Life& life;
  const BackfillStory& backfill;
  Backfill command;
  std::vector<const DecisionStory*> made;  // by seq
  std::set<Instant> skipped{};             // what backfills through the slot have skipped: a skip tells no id
};

const Backfill* request_of(const Evidence& evidence, const Life& life, const std::string& id) {
  for (const HistoryEntry& entry : evidence.records.history)
    if (entry.backfill && entry.id == id && entry.call.schedule == life.schedule) return &*entry.backfill;
  return nullptr;
}

bool was_edited(const BackfillLane& lane) {
  return std::ranges::any_of(lane.life.revisions, [&](const auto& entry) {
    const auto change =
        std::ranges::find(lane.life.changes, entry.first, [](const ChangeStory& story) { return story.line.revision; });
    return change != lane.life.changes.end() && change->moment.step > lane.backfill.moment.step;
  });
}

void check_made(const BackfillLane& lane, Findings& findings) {
  std::set<Instant> seen;
  std::optional<Instant> last;
  const bool is_forward = lane.command.order == BackfillOrder::oldest_first;
  for (const DecisionStory* decision : lane.made) {
    const Instant nominal = decision->line.nominal;
    findings.fact("I12");
    if (!seen.insert(nominal).second)
      findings.violation("I12", lane.life.schedule, "backfill {} started {} twice", lane.command.id, to_text(nominal));
    if (nominal < lane.command.from || nominal >= lane.command.to)
      findings.violation("I12", lane.life.schedule, "backfill {} started {}, which is not in its range",
                         lane.command.id, to_text(nominal));
    if (last && (is_forward ? nominal < *last : nominal > *last))
      findings.violation("I12", lane.life.schedule, "backfill {} turned round at {}", lane.command.id,
                         to_text(nominal));
    last = nominal;
  }
}

void check_concurrency(const BackfillLane& lane, Findings& findings) {
  for (const DecisionStory* decision : lane.made) {
    const std::int64_t step = decision->first().moment.step;
    const auto open = std::ranges::count_if(lane.made, [&](const DecisionStory* other) {
      const auto spans = open_spans(*other);
      return std::ranges::any_of(spans, [&](const StepSpan& span) { return span.contains(step); });
    });
    findings.fact("I12");
    if (open > lane.command.concurrency)
      findings.violation("I12", lane.life.schedule, "backfill {} has {} runs at once, not {}", lane.command.id, open,
                         lane.command.concurrency);
  }
}

// Whether an occurrence that the backfill passed over had a run already.
bool had_run(const Evidence& evidence, const BackfillLane& lane, Instant nominal) {
  return std::ranges::any_of(lane.life.decisions, [&](std::size_t index) {
    const DecisionStory& other = evidence.story.decisions[index];
    const auto has_started = [](const Phase& phase) { return phase.outcome == DecisionOutcome::started; };
    return other.line.nominal == nominal && std::ranges::any_of(other.phases, has_started);
  });
}

void check_complete(const Evidence& evidence, const BackfillLane& lane, Findings& findings) {
  if (!lane.backfill.completed || was_edited(lane)) return;
  const Revision* const revision = lane.life.definition(lane.made.empty() ? lane.life.revisions.rbegin()->first
                                                                          : lane.made.front()->first().revision);
  if (revision == nullptr || revision->depends_on_edition()) return;
  std::set<Instant> made;
  for (const DecisionStory* decision : lane.made) made.insert(decision->line.nominal);
  const auto wanted = revision->timetable().occurrences(lane.command.from, lane.command.to, 100'000);
  for (const Instant nominal : wanted) {
    findings.fact("I12");
    const bool is_skipped = lane.command.overlap && lane.skipped.contains(nominal);
    const bool is_left_out = !made.contains(nominal) && !is_skipped;
    if (is_left_out && (lane.command.reprocess == Reprocess::all || !had_run(evidence, lane, nominal)))
      findings.violation("I12", lane.life.schedule, "backfill {} is complete without {}", lane.command.id,
                         to_text(nominal));
  }
  if (lane.backfill.line.done != std::ssize(wanted) || lane.backfill.line.total != std::ssize(wanted))
    findings.violation("I12", lane.life.schedule, "backfill {} says {} of {}, there are {}", lane.command.id,
                       lane.backfill.line.done, lane.backfill.line.total, wanted.size());
}

}  // namespace

void check_backfills(const Evidence& evidence, Findings& findings) {
  for (const auto& [key, life] : evidence.story.lives) {
    std::map<std::string, std::vector<const DecisionStory*>> made;
    std::set<Instant> skipped;
    for (const std::size_t index : life.decisions) {
      const DecisionStory& decision = evidence.story.decisions[index];
      if (decision.line.source != Source::backfill) continue;
      made[decision.detail].push_back(&decision);
      if (decision.line.outcome == DecisionOutcome::skipped) skipped.insert(decision.line.nominal);
    }
    for (const BackfillStory& backfill : life.backfills) {
      const Backfill* const command = request_of(evidence, life, backfill.line.id);
      if (command == nullptr) continue;  // check_user_commands says so
      const BackfillLane lane{
          .life = life, .backfill = backfill, .command = *command, .made = made[backfill.line.id], .skipped = skipped};
      check_made(lane, findings);
      check_concurrency(lane, findings);
      check_complete(evidence, lane, findings);
    }
  }
}

}  // namespace carillon::simulation
