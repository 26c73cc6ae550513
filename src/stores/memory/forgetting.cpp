#include "stores/memory/forgetting.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <variant>

namespace carillon::memory {
namespace {

StoredSchedule& schedule_of(Tables& tables, const LineHead& head) {
  const auto& bearers = tables.names.at(name_key_of({head.name_space, head.schedule}));
  return tables.schedules.at(bearers.at(static_cast<std::size_t>(head.incarnation - 1)));
}

bool may_go(const Tables& tables, const StoredSchedule& schedule, const DecisionLine& line) {
  const Seq seq = line.head.seq;
  const bool is_needed =
      seq == schedule.last_decision || seq == schedule.state.last_success || schedule.live.contains(seq);
  // Nobody decides for a deleted schedule any more, nor counts what ends.
  if (is_needed && !schedule.state.deleted_at) return false;
  if (line.outcome == DecisionOutcome::skipped) return true;
  const auto run = tables.runs.find(seq);
  if (run == tables.runs.end() || !is_terminal(run->second.row.run.state)) return false;
  return schedule.state.deleted_at || seq <= schedule.forgotten;
}

std::optional<RunState> ended_state(const Tables& tables, Seq seq) {
  const auto run = tables.runs.find(seq);
  if (run == tables.runs.end() || !is_terminal(run->second.row.run.state)) return std::nullopt;
  return run->second.row.run.state;
}

RetentionCandidate swept(Tables& tables, const LedgerRecord& record) {
  const LineHead& head = *head_of(record);
  const StoredSchedule& schedule = schedule_of(tables, head);
  RetentionCandidate line{
      .seq = head.seq, .uid = schedule.state.uid, .at = head.at, .has_run = false, .ended = {}, .may_go = true};
  if (const auto* decision = std::get_if<DecisionLine>(&record)) {
    line.at = std::max(head.at, decision->ended_at.value_or(head.at));
    line.has_run = decision->outcome == DecisionOutcome::started;
    line.may_go = may_go(tables, schedule, *decision);
    line.ended = ended_state(tables, head.seq);
  } else if (std::holds_alternative<AttemptLine>(record)) {
    line.may_go = tables.ledger.find(tables.run_of_attempt.at(head.seq)) == nullptr;
  }
  return line;
}

/// What users have done is kept; outages have a bound of their own.
bool is_swept(const LedgerRecord& record) {
  return !std::holds_alternative<ChangeLine>(record) && !std::holds_alternative<BackfillLine>(record) &&
         !std::holds_alternative<OutageLine>(record);
}

RetentionCandidate swept_job(const StoredRun& job) {
  return {.seq = job.row.seq,
          .uid = {},
          .at = job.row.run.ended_at.value_or(job.row.nominal),
          .has_run = true,
          .ended = is_terminal(job.row.run.state) ? std::optional{job.row.run.state} : std::nullopt,
          .may_go = is_terminal(job.row.run.state)};
}

void forget_run(Tables& tables, StoredSchedule& schedule, const DecisionLine& line) {
  tables.runs.erase(line.head.seq);
  tables.skips.erase(line.head.seq);
  schedule.live.erase(line.head.seq);
  const auto runs = schedule.started.find(line.nominal);
  if (runs == schedule.started.end()) return;
  runs->second.erase(line.head.seq);
  if (runs->second.empty()) schedule.started.erase(runs);
}

void forget_job(Tables& tables, Seq seq) {
  const auto job = tables.runs.find(seq);
  if (job == tables.runs.end() || job->second.row.uid != Uid{} || !swept_job(job->second).may_go) return;
  tables.job_names.erase(job->second.row.trigger);
  tables.runs.erase(job);
}

}  // namespace

std::vector<RetentionCandidate> swept_lines(Tables& tables, Seq after, std::size_t count_max) {
  std::vector<RetentionCandidate> lines;
  for (const auto* record = tables.ledger.next(after); record != nullptr && lines.size() < count_max;
       record = tables.ledger.next(seq_of(*record)))
    if (is_swept(*record)) lines.push_back(swept(tables, *record));
  for (auto run = tables.runs.upper_bound(after); run != tables.runs.end(); ++run)
    if (run->second.row.uid == Uid{}) lines.push_back(swept_job(run->second));
  std::ranges::sort(lines, {}, &RetentionCandidate::seq);
  if (lines.size() > count_max) lines.resize(count_max);
  return lines;
}

PrunableRuns beyond_kept(const Tables& tables, const StoredSchedule& schedule, std::int64_t keep) {
  std::set<Seq, std::greater<>> detailed;
  for (const auto& [nominal, runs] : schedule.started)
    for (const Seq run : runs)
      if (run > schedule.forgotten) detailed.insert(run);
  PrunableRuns beyond;
  for (const Seq run : detailed) {
    if (--keep >= 0) continue;
    beyond.newest = std::max(beyond.newest, run);
    if (is_terminal(tables.runs.at(run).row.run.state)) beyond.runs.push_back(run);
  }
  return beyond;
}

void forget_details(Tables& tables, StoredSchedule& schedule, const PrunableRuns& beyond) {
  for (const Seq run : beyond.runs) {
    StoredRun* const stored = tables.find_run(run);
    if (stored != nullptr && run != schedule.state.last_success) stored->result.reset();
  }
  schedule.forgotten = std::max(schedule.forgotten, beyond.newest);
}

void forget_line(Tables& tables, Seq seq) {
  const LedgerRecord* const record = tables.ledger.find(seq);
  if (record == nullptr) return forget_job(tables, seq);
  if (!is_swept(*record) || !swept(tables, *record).may_go) return;
  if (const auto* decision = std::get_if<DecisionLine>(record))
    forget_run(tables, schedule_of(tables, decision->head), *decision);
  tables.run_of_attempt.erase(seq);
  tables.ledger.forget(seq);
}

}  // namespace carillon::memory
