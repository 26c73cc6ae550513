#include "base/duration_text.hpp"
#include "simulation/chronicle.hpp"
#include "simulation/draw.hpp"

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <algorithm>

// How each kind of line enters the story, and what may change about it later.

namespace carillon::simulation {
namespace {

std::int64_t number_of(Seq seq) { return static_cast<std::int64_t>(seq); }

bool has_wall_rules(const Spec& spec) {
  return !spec.crons.empty() || !spec.calendars.empty() || !spec.exclude.empty();
}

std::string detail_of(const DecisionLine& line) {
  if (!line.run) return {};
  const auto plus = line.run->find('+');
  if (plus == std::string::npos) return {};
  const auto dash = line.run->find('-', plus);
  return dash == std::string::npos ? std::string{} : line.run->substr(dash + 1);
}

Phase phase_of(const DecisionLine& line, const Moment& moment) {
  return {
      .moment = moment, .at = line.head.at, .revision = line.revision, .outcome = line.outcome, .reason = line.reason};
}

template <typename Line>
bool is_same_fact(const Line& a, const Line& b) {
  return a.head.seq == b.head.seq && a.head.schedule == b.head.schedule && a.head.incarnation == b.head.incarnation;
}

// What follows what: a wait ends; a start is taken back only before anybody has claimed it.
bool may_become(const DecisionStory& decision, DecisionOutcome next) {
  switch (decision.line.outcome) {
    case DecisionOutcome::waiting: return true;
    case DecisionOutcome::started: return decision.attempts.empty() && !decision.ended;
    case DecisionOutcome::skipped: return next == DecisionOutcome::skipped;
  }
  return false;
}

bool may_become(AttemptState before, AttemptState after) {
  return before == after || (!is_terminal(before) && after > before);
}

}  // namespace

void Chronicle::apply(const LedgerRecord& record, const Moment& moment) {
  std::visit([&](const auto& line) { apply(line, moment); }, record);
}

void Chronicle::apply(const DecisionLine& line, const Moment& moment) {
  trace(key_of(number_of(line.head.seq), line.nominal.time_since_epoch().count(), static_cast<int>(line.outcome),
               line.reason ? static_cast<int>(*line.reason) : -1));
  const auto found = story_.decision_of.find(line.head.seq);
  if (found != story_.decision_of.end()) return change(story_.decisions[found->second], line, moment);
  const std::size_t index = story_.decisions.size();
  DecisionStory decision{.line = line, .phases = {}, .attempts = {}, .detail = detail_of(line)};
  decision.phases.push_back(phase_of(line, moment));
  if (line.ended_at) decision.ended = moment;
  count_open(decision, 1);
  story_.decisions.push_back(std::move(decision));
  story_.decision_of.emplace(line.head.seq, index);
  if (line.run) decision_of_run_[{line.head.schedule.text(), line.head.incarnation, *line.run}] = index;
  life_of(line.head).decisions.push_back(index);
}

void Chronicle::check_change(const DecisionStory& decision, const DecisionLine& line) {
  const DecisionLine& was = decision.line;
  findings_.fact("I14");
  const bool is_same =
      is_same_fact(was, line) && was.nominal == line.nominal && was.due == line.due && was.source == line.source;
  const bool is_reason_kept = was.outcome != DecisionOutcome::skipped || was.reason == line.reason;
  if (!is_same || !is_reason_kept || (was.outcome != line.outcome && !may_become(decision, line.outcome)))
    findings_.violation("I14", was.head.schedule.text(), "line {} of {} became {} after it was {}",
                        number_of(was.head.seq), to_text(was.nominal), to_text(line.outcome), to_text(was.outcome));
  if (was.ended_at && was.ended_at != line.ended_at)
    findings_.violation("I14", was.head.schedule.text(), "the end of run {} changed", was.run.value_or("?"));
}

void Chronicle::change(DecisionStory& decision, const DecisionLine& line, const Moment& moment) {
  check_change(decision, line);
  count_open(decision, -1);
  const bool has_changed = decision.line.outcome != line.outcome;
  decision.line = line;
  if (has_changed) decision.phases.push_back(phase_of(line, moment));
  if (line.ended_at && !decision.ended) decision.ended = moment;
  count_open(decision, 1);
  if (line.run) {
    if (line.source != Source::trigger) decision.detail = detail_of(line);
    decision_of_run_[{line.head.schedule.text(), line.head.incarnation, *line.run}] =
        story_.decision_of.at(line.head.seq);
  }
}

void Chronicle::apply(const AttemptLine& line, const Moment& moment) {
  trace(key_of(number_of(line.head.seq), line.attempt, static_cast<int>(line.state)));
  const auto found = attempt_of_.find(line.head.seq);
  if (found == attempt_of_.end()) {
    const auto run = decision_of_run_.find({line.head.schedule.text(), line.head.incarnation, line.run});
    if (run == decision_of_run_.end()) {
      findings_.violation("I4", line.head.schedule.text(), "attempt {} of run {}, which nobody decided", line.attempt,
                          line.run);
      return;
    }
    const std::size_t index = story_.attempts.size();
    story_.attempts.push_back({.line = line, .decision = run->second, .claimed = moment});
    if (is_terminal(line.state)) story_.attempts.back().ended = moment;
    story_.decisions[run->second].attempts.push_back(index);
    attempt_of_.emplace(line.head.seq, index);
    return;
  }
  AttemptStory& attempt = story_.attempts[found->second];
  findings_.fact("I14");
  const bool is_same = is_same_fact(attempt.line, line) && attempt.line.attempt == line.attempt &&
                       attempt.line.claimed_at == line.claimed_at && attempt.line.worker == line.worker;
  if (!is_same || !may_become(attempt.line.state, line.state) ||
      (is_terminal(attempt.line.state) && attempt.line.ended_at != line.ended_at))
    findings_.violation("I14", line.head.schedule.text(), "attempt {} of run {} became {} after it was {}",
                        line.attempt, line.run, to_text(line.state), to_text(attempt.line.state));
  attempt.line = line;
  if (is_terminal(line.state) && !attempt.ended) attempt.ended = moment;
}

void Chronicle::apply(const ChangeLine& line, const Moment& moment) {
  Life& life = life_of(line.head);
  const auto is_this = [&](const ChangeStory& change) { return change.line.head.seq == line.head.seq; };
  if (std::ranges::any_of(life.changes, is_this)) return;
  trace(key_of(number_of(line.head.seq), line.revision, static_cast<int>(line.kind)));
  life.changes.push_back({.line = line, .moment = moment});
  // Of a creation the uid is not known yet.
  if (line.document && life.uid != Uid{}) add_revision(life, line);
}

void Chronicle::add_revision(Life& life, const ChangeLine& line) {
  const DefinitionName name{.uid = life.uid, .revision = line.revision};
  const auto stored = PassingStore::read_definitions({&name, 1}).value().front();
  const auto parsed = read_schedule(boost::json::parse(*line.document));
  if (!stored || !parsed) {
    findings_.violation("I7", life.schedule, "the definition of revision {} cannot be read", line.revision);
    return;
  }
  Revision revision{.number = line.revision, .document = *parsed, .timetables = {}, .seed = "default-" + life.schedule};
  const Spec& spec = parsed->spec;
  for (EditionZones* zones : zones_) {
    const bool is_changed = zones->changed() != nullptr && zones->changed()->name() == spec.timezone;
    if (!revision.timetables.empty() && (!is_changed || !has_wall_rules(spec))) continue;
    revision.timetables.push_back(
        Timetable::make(spec, zones->zone(spec.timezone).value(), stored->created_at).value());
  }
  life.revisions.insert_or_assign(line.revision, std::move(revision));
}

void Chronicle::apply(const RangeLine& line, const Moment& moment) {
  Life& life = life_of(line.head);
  const auto same = std::ranges::find(life.ranges, line.head.seq, [](const RangeStory& r) { return r.line.head.seq; });
  if (same == life.ranges.end()) {
    trace(key_of(number_of(line.head.seq), line.count));
    life.ranges.push_back({.line = line, .moment = moment});
  } else if (same->line.from != line.from || same->line.to != line.to || same->line.count != line.count ||
             same->line.reason != line.reason) {
    findings_.violation("I14", life.schedule, "range {} changed", number_of(line.head.seq));
  }
}

void Chronicle::apply(const VoidLine& line, const Moment& moment) {
  Life& life = life_of(line.head);
  const auto is_this = [&](const VoidStory& voided) { return voided.line.head.seq == line.head.seq; };
  if (std::ranges::any_of(life.voids, is_this)) return;
  tally_.add(Sometimes::void_written);
  life.voids.push_back({.line = line, .moment = moment});
}

void Chronicle::apply(const OutageLine& line, const Moment& moment) {
  const auto is_this = [&](const OutageStory& outage) { return outage.line.head.seq == line.head.seq; };
  if (std::ranges::any_of(story_.outages, is_this)) return;
  tally_.add(Sometimes::outage_written);
  story_.outages.push_back({.line = line, .moment = moment});
}

void Chronicle::apply(const BackfillLine& line, const Moment& moment) {
  Life& life = life_of(line.head);
  auto found = std::ranges::find(life.backfills, line.head.seq, [](const BackfillStory& b) { return b.line.head.seq; });
  if (found == life.backfills.end()) {
    life.backfills.push_back({.line = line, .moment = moment});
    found = std::prev(life.backfills.end());
  }
  findings_.fact("I14");
  const bool is_over = !is_open(found->line.state);
  if (found->line.id != line.id || found->line.done > line.done || (is_over && found->line.state != line.state))
    findings_.violation("I14", life.schedule, "backfill {} went back from {}/{} to {}/{}", line.id,
                        to_text(found->line.state), found->line.done, to_text(line.state), line.done);
  found->line = line;
  if (line.state == BackfillState::completed && !found->completed) found->completed = moment;
}

}  // namespace carillon::simulation
