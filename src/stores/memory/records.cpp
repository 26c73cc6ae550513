#include "stores/memory/records.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace carillon::memory {
namespace {

template <typename Value>
bool is_one_of(const std::vector<Value>& values, Value value) {
  return std::ranges::find(values, value) != values.end();
}

bool is_line_of(const LineHead& head, const StoredSchedule& schedule) {
  return head.name_space == schedule.key.name_space && head.schedule == schedule.key.id &&
         head.incarnation == schedule.incarnation;
}

RunRecordRow job_record(const QueuedRun& row) {
  RunRecordRow record{row};
  record.outcome = DecisionOutcome::started;
  record.decided_at = row.nominal;
  return record;
}

/// The newest ones, newest last.
template <typename Line>
void keep_newest(std::vector<Line>& lines, std::size_t count_max) {
  if (lines.size() > count_max) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count_max));
}

}  // namespace

ScheduleRecord record_of(const StoredSchedule& schedule) {
  ScheduleRecord record{.key = schedule.key,
                        .view = view_of(schedule),
                        .document = schedule.documents.empty() ? "" : schedule.documents.rbegin()->second,
                        .created_at = schedule.state.created_at,
                        .updated_at = schedule.updated_at,
                        .owner = schedule.owner,
                        .pause = {},
                        .quarantine = schedule.quarantine};
  if (schedule.state.has_note) record.note = schedule.newest_note;
  if (schedule.state.paused_at) record.pause = schedule.newest_pause;
  return record;
}

std::vector<Seq> decisions_and_jobs(const Tables& tables) {
  std::vector<Seq> seqs;
  for (const auto* record = tables.ledger.next(Seq{}); record != nullptr; record = tables.ledger.next(seq_of(*record)))
    if (std::holds_alternative<DecisionLine>(*record)) seqs.push_back(seq_of(*record));
  for (const auto& [seq, run] : tables.runs)
    if (run.row.uid == Uid{}) seqs.push_back(seq);
  std::ranges::sort(seqs, std::greater{});
  return seqs;
}

std::optional<RunRecordRow> run_record(Tables& tables, Seq seq) {
  const StoredRun* const run = tables.find_run(seq);
  if (run != nullptr && run->row.uid == Uid{}) return job_record(run->row);
  const LedgerRecord* const record = tables.ledger.find(seq);
  const auto* const line = record == nullptr ? nullptr : std::get_if<DecisionLine>(record);
  if (line == nullptr) return std::nullopt;
  RunRecordRow told{run == nullptr ? tables.skips.at(seq) : run->row};
  told.name_space = line->head.name_space.text();
  told.key = ScheduleKey{line->head.name_space, line->head.schedule};
  told.outcome = line->outcome;
  told.reason = line->reason;
  told.decided_revision = line->revision;
  told.decided_at = line->head.at;
  told.waited_from = line->waited_from;
  return told;
}

void add_recent_runs(Tables& tables, std::vector<ScheduleRecord>& schedules, std::size_t count_max) {
  std::map<Uid, ScheduleRecord*> by_uid;
  for (ScheduleRecord& schedule : schedules) by_uid.emplace(schedule.view.state.uid, &schedule);
  for (const Seq seq : decisions_and_jobs(tables)) {
    auto run = run_record(tables, seq);
    const auto schedule = by_uid.find(run->uid);
    if (schedule == by_uid.end() || run->outcome != DecisionOutcome::started) continue;
    if (schedule->second->recent.size() == count_max) continue;
    if (const StoredRun* const stored = tables.find_run(seq)) run->attempts = stored->attempts;
    schedule->second->recent.push_back(*std::move(run));
  }
}

bool fits(const RunRecordRow& record, const RunFilter& filter) {
  const bool has_run = record.outcome != DecisionOutcome::skipped;
  if (!filter.with_decisions && record.outcome != DecisionOutcome::started) return false;
  if (filter.name_space && record.name_space != *filter.name_space) return false;
  if (filter.uid && record.uid != *filter.uid) return false;
  if (!filter.states.empty() && (!has_run || !is_one_of(filter.states, record.run.state))) return false;
  if (!filter.sources.empty() && !is_one_of(filter.sources, record.source)) return false;
  if (!filter.queue.empty() && (!has_run || queue_of_lane(record.queue) != filter.queue)) return false;
  const Instant queued_at = has_run ? record.run.queued_at : record.decided_at;
  return (!filter.since || queued_at >= *filter.since) && (!filter.until || queued_at < *filter.until);
}

bool has_name(Tables& tables, const RunRecordRow& record, const RunNameParts& name) {
  if (record.outcome == DecisionOutcome::skipped || record.nominal != name.nominal) return false;
  std::string detail = record.trigger;
  if (record.source == Source::backfill) {
    const auto& backfills = tables.schedules.at(record.uid).backfills;
    const auto found = backfills.find(record.backfill);
    detail = found == backfills.end() ? "" : found->second.record.id;
  }
  const std::string full = run_name(record.key->id, record.nominal, record.source, detail);
  const auto parts = parse_run_name(full);
  return parts && parts->tail == name.tail;
}

PastDecisions past_decisions(Tables& tables, const StoredSchedule& schedule, Instant from, Instant to,
                             std::size_t count_max) {
  PastDecisions past;
  for (const Seq seq : decisions_and_jobs(tables)) {
    auto record = run_record(tables, seq);
    const bool is_in = record->uid == schedule.state.uid && record->nominal >= from && record->nominal < to;
    if (is_in && past.rows.size() < count_max) past.rows.push_back(*std::move(record));
  }
  std::ranges::sort(past.rows, {}, [](const RunRecordRow& record) { return std::pair{record.nominal, record.seq}; });
  for (const auto* record = tables.ledger.next(Seq{}); record != nullptr;
       record = tables.ledger.next(seq_of(*record))) {
    if (const LineHead* head = head_of(*record); !head || !is_line_of(*head, schedule)) continue;
    if (const auto* range = std::get_if<RangeLine>(record); range != nullptr && range->from < to && range->to >= from)
      past.ranges.push_back(*range);
    if (const auto* voided = std::get_if<VoidLine>(record);
        voided != nullptr && voided->from < to && voided->to >= from)
      past.voids.push_back(*voided);
    if (const auto* change = std::get_if<ChangeLine>(record); change != nullptr && change->head.at < to) {
      past.changes.push_back(*change);
      past.changes.back().document.reset();
    }
  }
  keep_newest(past.ranges, count_max);
  keep_newest(past.voids, count_max);
  keep_newest(past.changes, count_max);
  return past;
}

std::vector<ChangeLine> revisions_of(Tables& tables, const StoredSchedule& schedule,
                                     const RevisionListRequest& request) {
  std::vector<ChangeLine> revisions;
  for (const auto* record = tables.ledger.next(Seq{}); record != nullptr;
       record = tables.ledger.next(seq_of(*record))) {
    const auto* change = std::get_if<ChangeLine>(record);
    if (change == nullptr || !is_line_of(change->head, schedule)) continue;
    if (request.before && change->revision >= *request.before) continue;
    if (request.definitions_only && !change->document) continue;
    revisions.push_back(*change);
    revisions.back().document.reset();
  }
  keep_newest(revisions, request.count_max);
  std::ranges::reverse(revisions);
  return revisions;
}

}  // namespace carillon::memory
