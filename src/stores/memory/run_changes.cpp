#include "stores/memory/run_changes.hpp"

#include "base/assertion.hpp"
#include "stores/memory/feed.hpp"

#include <algorithm>

namespace carillon::memory {
namespace {

bool is_ready(const Run& run) { return run.state == RunState::queued || run.state == RunState::retrying; }

bool may_expire(const Run& run) { return run.state == RunState::queued && run.expires_at; }

void take_from_indices(Tables& tables, const QueuedRun& row) {
  if (is_ready(row.run)) tables.ready.drop(row);
  if (may_expire(row.run)) tables.expiring.erase({*row.run.expires_at, row.seq});
  if (row.run.state != RunState::running) return;
  if (--tables.running_in_lane[row.queue] == 0) tables.running_in_lane.erase(row.queue);
  tables.lost.erase(row.seq);
  if (StoredSession* session = tables.find_session(row.session)) {
    session->held.erase(row.seq);
    session->stopping.erase(row.seq);
  }
}

void put_into_indices(Tables& tables, const QueuedRun& row) {
  if (is_ready(row.run)) {
    tables.ready.put(row);
    tables.change.has_claimable = true;
    tables.queues.try_emplace(std::string{queue_of_lane(row.queue)});
  }
  if (may_expire(row.run)) tables.expiring.emplace(*row.run.expires_at, row.seq);
  if (row.run.state != RunState::running) return;
  ++tables.running_in_lane[row.queue];
  if (StoredSession* session = tables.find_session(row.session)) {
    session->held.insert(row.seq);
    if (row.run.stop != Stop::none) session->stopping.insert(row.seq);
  } else {
    tables.lost.insert(row.seq);
  }
}

/// Whatever becomes of the run: an attempt that has ended stays as it was.
void change_attempt(StoredRun& run, Instant now) {
  if (run.attempts.empty() || !run.row.run.attempt_state) return;
  AttemptRecord& attempt = run.attempts.back();
  if (is_terminal(attempt.state)) return;
  attempt.state = *run.row.run.attempt_state;
  if (attempt.state == AttemptState::launched && !attempt.launched_at) attempt.launched_at = now;
  if (is_terminal(attempt.state) && !attempt.ended_at) attempt.ended_at = run.row.run.ended_at.value_or(now);
}

void change_attempt_line(Tables& tables, const StoredRun& run, Instant now) {
  if (run.attempt_line == Seq{} || !run.row.run.attempt_state) return;
  auto& line = tables.ledger.line<AttemptLine>(run.attempt_line);
  if (is_terminal(line.state)) return;
  line.state = *run.row.run.attempt_state;
  line.head.at = now;
  if (line.state == AttemptState::launched && !line.launched_at) line.launched_at = now;
  if (is_terminal(line.state) && !line.ended_at) line.ended_at = run.row.run.ended_at.value_or(now);
}

void change_live_run(Tables& tables, const QueuedRun& row) {
  StoredSchedule* schedule = tables.find_schedule(row.uid);
  if (!schedule) return;
  tables.ledger.line<DecisionLine>(row.seq).ended_at = row.run.ended_at;
  const auto live = schedule->live.find(row.seq);
  if (live == schedule->live.end()) return;
  live->second.state = row.run.state;
  live->second.is_stopping = row.run.stop != Stop::none;
  live->second.is_held_back &= row.run.state == RunState::waiting;
}

/// A job without a schedule has no lines.
Seq append_attempt_line(Tables& tables, const QueuedRun& row, const std::string& worker, Instant now) {
  const StoredSchedule* schedule = tables.find_schedule(row.uid);
  if (!schedule) return Seq{};
  return tables.ledger.append(AttemptLine{.head = head_of(*schedule, now),
                                          .run = tables.ledger.line<DecisionLine>(row.seq).run.value(),
                                          .attempt = row.run.attempt + 1,
                                          .worker = worker,
                                          .state = AttemptState::claimed,
                                          .claimed_at = now,
                                          .launched_at = {},
                                          .ended_at = {},
                                          .exit_code = {},
                                          .reason = {},
                                          .claimable_from = row.run.claimable_from});
}

ClaimedRun claim_run(Tables& tables, StoredRun& run, SessionId id, const StoredSession& session, Instant now) {
  const auto claimed = claim(run.row.run, now);
  CARILLON_ASSERT(claimed.has_value());
  run.attempt_line = append_attempt_line(tables, run.row, session.worker, now);
  if (run.attempt_line != Seq{}) tables.run_of_attempt.emplace(run.attempt_line, run.row.seq);
  run.row.session = id;
  run.fence = ++tables.claim_count;
  run.attempts.push_back({.attempt = claimed->attempt,
                          .worker = session.worker,
                          .state = AttemptState::claimed,
                          .claimed_at = now,
                          .launched_at = {},
                          .ended_at = {},
                          .exit_code = {},
                          .signal = {},
                          .error = {}});
  change_run(tables, run, *claimed, now);
  note(tables, event_of_claim(written_row(run.row, now)));
  return claimed_run(tables, run, session, now);
}

}  // namespace

ClaimedRun claimed_run(Tables& tables, const StoredRun& run, const StoredSession& session, Instant now) {
  const StoredRun* const last_success = tables.find_run(run.row.last_success);
  ClaimedRun claimed{.row = run.row,
                     .fence = run.fence,
                     .lease_until = session.lease_until,
                     .store_now = now,
                     .last_result = last_success == nullptr ? std::nullopt : last_success->result};
  const StoredRun* const failed = tables.find_run(run.row.last_failure);
  if (failed == nullptr || failed->attempts.empty()) return claimed;
  const AttemptRecord& last = failed->attempts.back();
  claimed.last_failure =
      PastFailure{.state = last.state, .ended_at = last.ended_at, .exit_code = last.exit_code, .error = last.error};
  return claimed;
}

void change_run(Tables& tables, StoredRun& run, const Run& next, Instant now) {
  const auto attempt_before = std::pair{run.row.run.attempt, run.row.run.attempt_state};
  take_from_indices(tables, run.row);
  run.row.run = next;
  put_into_indices(tables, run.row);
  if (attempt_before != std::pair{next.attempt, next.attempt_state}) {
    change_attempt(run, now);
    change_attempt_line(tables, run, now);
  }
  change_live_run(tables, run.row);
}

void note_end(Tables& tables, StoredRun& run, const AttemptEnd& end) {
  if (end.result) run.result = end.result;
  if (!run.attempts.empty()) {
    AttemptRecord& attempt = run.attempts.back();
    if (end.launched_at) attempt.launched_at = end.launched_at;
    if (end.ended_at) attempt.ended_at = end.ended_at;
    if (end.exit_code) attempt.exit_code = end.exit_code;
    if (end.signal) attempt.signal = end.signal;
    if (!end.error.empty()) attempt.error = end.error;
    if (end.use) attempt.use = end.use;
    if (!end.known_as.empty()) attempt.known_as = end.known_as;
  }
  if (run.attempt_line == Seq{}) return;
  auto& line = tables.ledger.line<AttemptLine>(run.attempt_line);
  if (end.launched_at) line.launched_at = end.launched_at;
  if (end.ended_at) line.ended_at = end.ended_at;
  if (end.exit_code) line.exit_code = end.exit_code;
  if (!end.error.empty()) line.reason = end.error;
}

void note_launch(Tables& tables, SessionId session, const LaunchNotice& launched, Instant now) {
  StoredRun* run = tables.find_run(launched.seq);
  if (!run || run->row.session != session) return;
  const auto next = launch(run->row.run, launched.attempt, launched.at);
  if (!next) return;
  note_end(tables, *run, {.launched_at = launched.at, .known_as = launched.known_as});
  change_run(tables, *run, *next, now);
}

void wake_listener(Tables& tables, Uid uid, Instant now) {
  StoredSchedule* schedule = tables.find_schedule(uid);
  if (!schedule || !schedule->state.listens || schedule->state.deleted_at) return;
  tables.set_wake(*schedule, std::min(schedule->state.wake.value_or(now), now));
}

std::vector<ClaimedRun> claim_runs(Tables& tables, const ClaimRequest& request, Instant now) {
  const StoredSession& session = *tables.find_session(request.session);
  const auto lanes = tables.open_lanes(LaneFilter{request.queues, request.skills});
  ConcurrencyRoom room = tables.concurrency_room();
  std::vector<ClaimedRun> claimed;
  for (const Seq seq : tables.ready.first(lanes, now, request.count_max)) {
    if (claimed.size() == request.count_max) break;
    StoredRun& run = *tables.find_run(seq);
    if (room.take(run.row.queue)) claimed.push_back(claim_run(tables, run, request.session, session, now));
  }
  return claimed;
}

}  // namespace carillon::memory
