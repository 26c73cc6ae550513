#include "stores/sqlite/run_records.hpp"

#include <algorithm>
#include <utility>

namespace carillon::sqlite {
namespace {

template <typename Value>
bool is_one_of(const std::vector<Value>& values, Value value) {
  return std::ranges::find(values, value) != values.end();
}

/// What can be told without looking further.
bool fits_by_itself(const WalkedDecision& decision, const RunFilter& filter) {
  if (!filter.with_decisions && decision.outcome != DecisionOutcome::started) return false;
  const bool has_run = decision.outcome != DecisionOutcome::skipped;
  if (!filter.states.empty() && (!has_run || !is_one_of(filter.states, decision.state.value_or(RunState::waiting))))
    return false;
  if (!filter.sources.empty() && !is_one_of(filter.sources, decision.source)) return false;
  const Instant queued_at = has_run ? decision.queued_at.value_or(decision.at) : decision.at;
  return (!filter.since || queued_at >= *filter.since) && (!filter.until || queued_at < *filter.until);
}

std::optional<ResourceUse> read_use(const Cursor& row, int column) {
  const auto user_time = row.number_if(column);
  if (!user_time) return std::nullopt;
  return ResourceUse{.user_time = Duration{*user_time},
                     .system_time = Duration{row.number_if(column + 1).value_or(0)},
                     .memory_max = row.number_if(column + 2).value_or(0)};
}

AttemptRecord read_attempt(const Cursor& row) {
  return {.attempt = row.count(0),
          .worker = row.free_text(1),
          .state = row.one_of(2, AttemptState::released),
          .claimed_at = row.instant(3),
          .launched_at = row.instant_if(4),
          .ended_at = row.instant_if(5),
          .exit_code = row.number_if(6),
          .signal = row.number_if(7),
          .error = row.free_text(8),
          .use = read_use(row, 10),
          .known_as = row.free_text(13)};
}

Result<RunRecordRow> record_of(StoredRun run, Names& names) {
  RunRecordRow record{std::move(run.row)};
  record.outcome = run.outcome;
  if (record.outcome == DecisionOutcome::skipped) record.reason = run.reason;
  record.decided_revision = run.revision;
  record.decided_at = run.at;
  record.waited_from = run.waited_from;
  if (record.uid == Uid{}) return record;
  record.key = TRY(names.of(record.uid))->key;
  record.name_space = record.key->name_space.text();
  return record;
}

}  // namespace

RunRecords::RunRecords(Connection& connection, RunRows& runs, QueueNames& queues, DecisionWalk& walk)
    : runs_{runs},
      queues_{queues},
      walk_{walk},
      attempt_{connection,
               "SELECT a.attempt, s.worker, a.state, a.claimed_at, a.launched_at, a.ended_at, a.exit_code, a.signal, "
               "a.reason, a.prev_seq, a.user_time, a.system_time, a.memory_max, a.known_as FROM attempt a LEFT JOIN "
               "session s ON s.id = a.session WHERE a.seq = ?1"} {}

Result<std::optional<RunRecordRow>> RunRecords::read(Seq seq, Names& names) {
  auto run = TRY(runs_.find_decision(seq));
  if (!run) return std::nullopt;
  return TRY(record_of(*std::move(run), names));
}

Result<std::optional<RunRecordRow>> RunRecords::read_with_attempts(Seq seq, Names& names) {
  auto run = TRY(runs_.find_decision(seq));
  if (!run) return std::nullopt;
  const Seq newest_attempt = run->attempt_line;
  RunRecordRow record = TRY(record_of(*std::move(run), names));
  if (record.outcome == DecisionOutcome::skipped) return record;
  record.attempts = TRY(attempts_from(newest_attempt));
  record.result = TRY(runs_.result(seq));
  return record;
}

Result<std::vector<AttemptRecord>> RunRecords::attempts_from(Seq newest) {
  std::vector<AttemptRecord> attempts;
  for (Seq line = newest; line != Seq{};) {
    Cursor row = attempt_.query(line);
    if (!TRY(row.next())) break;
    attempts.push_back(read_attempt(row));
    TRY(row.check());
    // Nothing but zero, or what is older: a chain has an end.
    const auto previous = row.as<Seq>(9);
    line = previous < line ? previous : Seq{};
  }
  std::ranges::reverse(attempts);
  return attempts;
}

Result<std::vector<RunRecordRow>> RunRecords::recent(Uid uid, std::size_t count_max, Names& names) {
  std::vector<Seq> found;
  const auto visit = [&](const WalkedDecision& decision) -> Result<bool> {
    if (decision.outcome == DecisionOutcome::started) found.push_back(decision.seq);
    return found.size() < count_max;
  };
  TRY(walk_.of(uid, std::nullopt, RunListRequest{}.scan_max, visit));
  std::vector<RunRecordRow> records;
  for (const Seq seq : found) {
    auto run = TRY(runs_.find_decision(seq));
    if (!run) continue;
    const Seq newest_attempt = run->attempt_line;
    RunRecordRow& record = records.emplace_back(TRY(record_of(*std::move(run), names)));
    record.attempts = TRY(attempts_from(newest_attempt));
  }
  return records;
}

Result<bool> RunRecords::fits(const WalkedDecision& decision, const RunFilter& filter,
                              const std::vector<std::int64_t>& lanes, Names& names) {
  if (!fits_by_itself(decision, filter)) return false;
  const bool is_there = !filter.queue.empty() && decision.outcome != DecisionOutcome::skipped &&
                        std::ranges::find(lanes, decision.queue) != lanes.end();
  if (!filter.queue.empty() && !is_there) return false;
  if (!filter.name_space || filter.uid) return true;
  if (decision.uid != Uid{}) return TRY(names.of(decision.uid))->key.name_space.text() == *filter.name_space;
  const auto job = TRY(runs_.find_decision(decision.seq));
  return job && job->row.name_space == *filter.name_space;
}

Result<RunList> RunRecords::list(const RunListRequest& request, Names& names) {
  const RunFilter& filter = request.filter;
  RunList list{.store_now = {}, .items = {}, .next = {}};
  std::vector<std::int64_t> lanes;
  if (!filter.queue.empty()) lanes = TRY(queues_.lanes_of(filter.queue));
  if (!filter.queue.empty() && lanes.empty()) return list;
  if (filter.uid && filter.name_space) {
    const StoredName* const name = TRY(names.find(*filter.uid));
    if (name == nullptr || name->key.name_space.text() != *filter.name_space) return list;
  }
  std::vector<Seq> found;
  // One more than asked for tells whether there are more.
  const auto visit = [&](const WalkedDecision& decision) -> Result<bool> {
    if (TRY(fits(decision, filter, lanes, names))) found.push_back(decision.seq);
    return found.size() <= request.count_max;
  };
  list.next = filter.uid ? TRY(walk_.of(*filter.uid, request.before, request.scan_max, visit))
                         : TRY(walk_.all(request.before, request.scan_max, visit));
  if (found.size() > request.count_max) {
    found.pop_back();
    list.next = found.empty() ? request.before : found.back();
  }
  for (const Seq seq : found)
    if (auto record = TRY(read(seq, names))) list.items.push_back(*std::move(record));
  return list;
}

}  // namespace carillon::sqlite
