#include "simulation/invariants/evidence.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <variant>

// I1: every occurrence is decided. I2: once. I5: in order. I16: not before it is due.

namespace carillon::simulation {
namespace {

constexpr Duration moment_after{1};
constexpr Duration settling = std::chrono::seconds{15};

using Row = std::variant<const DecisionStory*, const RangeStory*, const VoidStory*>;

struct StoreSpan {
  Instant from;
  Instant to;
};

/// What has been decided of one life.
struct Decided {
  std::map<Instant, const DecisionStory*> by_nominal;  // null: by a range
  std::optional<Instant> newest;
  Instant newest_at;  // true time
};

/// Where a row stands in the course of things: within one transaction voids come first, then the rest by time, since
/// the ledger has ranges before decisions.
using Place = std::tuple<std::int64_t, bool, Instant>;
Place place_of(const DecisionStory* row) { return {row->first().moment.step, true, row->line.nominal}; }
Place place_of(const RangeStory* row) { return {row->moment.step, true, row->line.from}; }
Place place_of(const VoidStory* row) { return {row->moment.step, false, row->line.from}; }

std::vector<Row> rows_of(const Evidence& evidence, const Life& life) {
  std::vector<Row> rows;
  for (const std::size_t index : life.decisions)
    if (is_automatic(evidence.story.decisions[index])) rows.emplace_back(&evidence.story.decisions[index]);
  for (const RangeStory& range : life.ranges) rows.emplace_back(&range);
  for (const VoidStory& voided : life.voids) rows.emplace_back(&voided);
  std::ranges::sort(rows, {},
                    [](const Row& row) { return std::visit([](const auto* line) { return place_of(line); }, row); });
  return rows;
}

bool is_occurrence(const Revision& revision, Instant nominal) {
  return std::ranges::any_of(revision.timetables, [&](const Timetable& timetable) {
    return timetable.next(nominal - moment_after) == nominal;
  });
}

bool is_due(const Revision& revision, Instant nominal, Instant due) {
  return std::ranges::any_of(revision.timetables, [&](const Timetable& timetable) {
    return nominal + timetable.jitter(nominal, revision.seed) == due;
  });
}

// When the definition of a revision came into force.
Instant force_begin(const Life& life, const Revision& revision) {
  for (const ChangeStory& change : life.changes)
    if (change.line.revision == revision.number && change.line.document) return change.line.head.at;
  return instant_max;
}

void add(const Evidence& evidence, Decided& decided, Instant nominal, const DecisionStory* decision, const Life& life,
         Seq seq, const Moment& moment, Findings& findings) {
  findings.fact("I2");
  if (!decided.by_nominal.emplace(nominal, decision).second)
    findings.violation("I2", life.schedule, "{} is decided again by line {}", to_text(nominal),
                       static_cast<std::int64_t>(seq));
  // After the clock was set back, what is not decided yet has its turn in its own time, between and before what has
  // started ahead of it.
  const bool is_back = decided.newest && nominal < *decided.newest;
  if (is_back && !evidence.world.went_back(decided.newest_at, moment.time))
    findings.violation("I5", life.schedule, "{} is decided after {}", to_text(nominal), to_text(*decided.newest));
  if (is_back) return;
  decided.newest = nominal;
  decided.newest_at = moment.time;
}

void check_in_force(const Evidence& evidence, const Life& life, const Revision& revision, Instant nominal, Instant due,
                    std::optional<SkipReason> reason, const Moment& moment, Findings& findings) {
  // New zone rules may put a local time before an edit that was made while it was to come: it is passed over.
  if (reason == SkipReason::clock && evidence.has_zone_change()) return;
  // After the clock was set back, times no longer tell what came first; what was taken up from a tombstone is older.
  if (evidence.world.went_back(evidence.plan.begin, moment.time) || predecessor(evidence, life) != nullptr) return;
  if (due <= force_begin(life, revision))
    findings.violation("I1", life.schedule, "{} was due before revision {} was in force", to_text(nominal),
                       revision.number);
}

void apply(const Evidence& evidence, const Life& life, const DecisionStory& decision, Decided& decided,
           Findings& findings) {
  const Phase& first = decision.first();
  const Instant nominal = decision.line.nominal;
  add(evidence, decided, nominal, &decision, life, decision.line.head.seq, first.moment, findings);
  const Revision* const revision = life.definition(first.revision);
  findings.fact("I1");
  if (revision == nullptr || !is_occurrence(*revision, nominal)) {
    findings.violation("I1", life.schedule, "{} is decided, but no occurrence of revision {}", to_text(nominal),
                       first.revision);
    return;
  }
  check_in_force(evidence, life, *revision, nominal, decision.line.due, first.reason, first.moment, findings);
  findings.fact("I16");
  if (!is_due(*revision, nominal, decision.line.due))
    findings.violation("I16", life.schedule, "{} is due at {}, which its jitter does not say", to_text(nominal),
                       to_text(decision.line.due));
  const bool is_clock_sure = !evidence.world.went_back(first.moment.time - std::chrono::minutes{10}, first.moment.time);
  // Under new zone rules a wall time may come again: that it is passed over is decided ahead of it.
  const bool is_passed_over = first.reason == SkipReason::clock;
  if (is_clock_sure && !is_passed_over && (first.moment.store < decision.line.due || first.at < decision.line.due))
    findings.violation("I16", life.schedule, "{} is decided at {}, before it is due", to_text(nominal),
                       to_text(first.at));
}

void apply(const Evidence& evidence, const Life& life, const RangeStory& range, Decided& decided, Findings& findings) {
  const RangeLine& line = range.line;
  const Revision* const revision = life.definition(line.revision);
  findings.fact("I1");
  if (revision == nullptr) {
    findings.violation("I1", life.schedule, "a range of revision {}, which never was", line.revision);
    return;
  }
  for (const Timetable& timetable : revision->timetables) {
    const auto nominals =
        timetable.occurrences(line.from, line.to + moment_after, static_cast<std::size_t>(line.count) + 2);
    const bool fits = !nominals.empty() && nominals.front() == line.from && nominals.back() == line.to &&
                      std::ssize(nominals) == line.count;
    if (!fits) continue;
    for (const Instant nominal : nominals)
      add(evidence, decided, nominal, nullptr, life, line.head.seq, range.moment, findings);
    check_in_force(evidence, life, *revision, line.from, revision->due(line.from), line.reason, range.moment, findings);
    return;
  }
  findings.violation("I1", life.schedule, "the range from {} to {} does not have {} occurrences", to_text(line.from),
                     to_text(line.to), line.count);
}

DecisionOutcome outcome_at(const DecisionStory& decision, std::int64_t step) {
  DecisionOutcome outcome = decision.first().outcome;
  for (const Phase& phase : decision.phases)
    if (phase.moment.step <= step) outcome = phase.outcome;
  return outcome;
}

void apply(const Evidence&, const Life& life, const VoidStory& voided, Decided& decided, Findings& findings) {
  const auto [from, to] = std::pair{voided.line.from, voided.line.to};
  for (auto it = decided.by_nominal.lower_bound(from); it != decided.by_nominal.end() && it->first <= to;) {
    findings.fact("I2");
    const DecisionStory* const decision = it->second;
    if (decision != nullptr && outcome_at(*decision, voided.moment.step) != DecisionOutcome::skipped) {
      findings.violation("I2", life.schedule, "{} is voided, though it {}", to_text(it->first),
                         to_text(decision->line.outcome));
      ++it;
      continue;
    }
    it = decided.by_nominal.erase(it);
  }
}

// Times that the store's clock showed twice.
std::vector<StoreSpan> repeated_spans(const Evidence& evidence) {
  std::vector<StoreSpan> spans;
  Duration offset{0};
  for (const World::Step& step : evidence.world.steps()) {
    const Instant before = step.time + offset;
    offset += step.size;
    if (step.size < Duration{0}) spans.push_back({step.time + offset, before});
  }
  return spans;
}

// Store times in which a schedule decides nothing. What came due before is decided with the step that puts it to rest.
std::vector<StoreSpan> quiet_spans(const Life& life) {
  std::vector<StoreSpan> spans;
  for (std::size_t i = 0; i < life.statuses.size(); ++i) {
    const StatusPhase& phase = life.statuses[i];
    if (phase.status == ScheduleStatus::active) continue;
    const bool is_last = i + 1 == life.statuses.size();
    const Instant end = is_last ? instant_max : life.statuses[i + 1].decided_at;
    // What came due in a pause is decided when it ends, unless the schedule is put to rest meanwhile.
    const bool is_resumed = !is_last && life.statuses[i + 1].status == ScheduleStatus::active;
    if (phase.status == ScheduleStatus::paused && is_resumed) continue;
    spans.push_back({phase.decided_at, end});
  }
  return spans;
}

bool is_inside(const std::vector<StoreSpan>& spans, Instant time) {
  return std::ranges::any_of(spans, [&](const StoreSpan& span) { return span.from <= time && time <= span.to; });
}

bool is_missing(const Decided& decided, const Life* before, const Evidence& evidence, Instant nominal) {
  if (decided.by_nominal.contains(nominal)) return false;
  if (before == nullptr) return true;
  // The life before may have decided it already.
  return std::ranges::none_of(before->decisions, [&](std::size_t index) {
    const DecisionStory& decision = evidence.story.decisions[index];
    return is_automatic(decision) && decision.line.nominal == nominal;
  });
}

void check_segment(const Evidence& evidence, const Life& life, const Revision& revision, Instant from, Instant to,
                   const Decided& decided, Findings& findings) {
  const auto quiet = quiet_spans(life);
  const auto repeated = repeated_spans(evidence);
  const Life* const before = predecessor(evidence, life);
  for (auto nominal = revision.timetable().next(from); nominal && *nominal <= to;
       nominal = revision.timetable().next(*nominal)) {
    const Instant due = revision.due(*nominal);
    if (due > to) return;
    if (is_inside(quiet, due) || is_inside(repeated, due)) continue;
    // Where the zone has two editions, only what both mean is certain.
    const auto has = [&](const Timetable& timetable) { return timetable.next(*nominal - moment_after) == nominal; };
    if (!std::ranges::all_of(revision.timetables, has)) continue;
    findings.fact("I1");
    if (is_missing(decided, before, evidence, *nominal))
      findings.violation("I1", life.schedule, "{} has no decision, though revision {} was in force", to_text(*nominal),
                         revision.number);
  }
}

// One that was deleted while it was active and comes back so, soon, goes on where it was.
Instant begin_of(const Evidence& evidence, const Life& life, Instant created_at) {
  const Life* const before = predecessor(evidence, life);
  if (before == nullptr) return created_at;
  const ChangeStory& deletion = *before->deletion();
  const bool was_active = before->status_at(deletion.moment.step) == ScheduleStatus::active;
  const bool is_active = life.status_at(life.changes.front().moment.step) == ScheduleStatus::active;
  return was_active && is_active ? std::min(created_at, deletion.line.head.at) : created_at;
}

// Between two changes of the definition every occurrence that came due was decided.
void check_coverage(const Evidence& evidence, const Life& life, const Decided& decided, Findings& findings) {
  Instant from = instant_min;
  const Revision* revision = nullptr;
  for (const ChangeStory& change : life.changes) {
    const bool ends_segment = change.line.document || change.line.kind == ChangeKind::deleted;
    if (!ends_segment) continue;
    if (revision != nullptr) check_segment(evidence, life, *revision, from, change.line.head.at, decided, findings);
    const Instant at = change.line.head.at;
    from = change.line.kind == ChangeKind::created ? begin_of(evidence, life, at) : std::max(from, at);
    const auto found = life.revisions.find(change.line.revision);
    revision = found == life.revisions.end() ? nullptr : &found->second;
    if (change.line.kind == ChangeKind::deleted) return;
  }
  if (revision != nullptr && evidence.is_final)
    check_segment(evidence, life, *revision, from, evidence.world.store_now() - settling, decided, findings);
}

Decided inherited(const Evidence& evidence, const Life& life) {
  Decided decided;
  const Life* const before = predecessor(evidence, life);
  if (before == nullptr) return decided;
  for (const std::size_t index : before->decisions) {
    const DecisionStory& decision = evidence.story.decisions[index];
    if (is_automatic(decision)) decided.by_nominal.emplace(decision.line.nominal, &decision);
  }
  // What the life before took back is open.
  for (const VoidStory& voided : before->voids)
    std::erase_if(decided.by_nominal, [&](const auto& entry) {
      return voided.line.from <= entry.first && entry.first <= voided.line.to &&
             entry.second->line.head.seq < voided.line.head.seq;
    });
  return decided;
}

void check_life(const Evidence& evidence, const Life& life, Findings& findings) {
  Decided decided = inherited(evidence, life);
  for (const Row& row : rows_of(evidence, life))
    std::visit([&](const auto* line) { apply(evidence, life, *line, decided, findings); }, row);
  check_coverage(evidence, life, decided, findings);
}

}  // namespace

void check_completeness(const Evidence& evidence, Findings& findings) {
  for (const auto& [key, life] : evidence.story.lives) check_life(evidence, life, findings);
}

}  // namespace carillon::simulation
