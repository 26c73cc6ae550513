#include "stores/postgres/claiming.hpp"

#include "engine/feed_rules.hpp"
#include "stored_rows/row_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace carillon::postgres {
namespace {

std::pair<Instant, Seq> claim_place(const StoredRun* run) {
  return {rank_of(run->row.priority, run->row.run.claimable_from), run->row.seq};
}

bool may_be_claimed(const Run& run, Instant now) {
  // Only a first attempt can expire.
  const bool has_expired = run.state == RunState::queued && run.expires_at && *run.expires_at < now;
  return run.claimable_from <= now && !has_expired;
}

PastFailure read_failure_row(const Row& row) {
  return {.state = row.one_of(1, AttemptState::released),
          .ended_at = row.instant_if(2),
          .exit_code = row.number_if(3),
          .error = row.text_if(4).value_or("")};
}

/// Of each queue the first ones, locked.
const std::string& candidates_query() {
  static const std::string sql = fmt::format(
      "SELECT {} FROM unnest($1) AS q(name) CROSS JOIN LATERAL (SELECT g.* FROM ledger g WHERE g.queue = q.name "
      "AND g.state IN (1, 3) AND g.claimable_from <= $2 AND (g.state = 3 OR g.expires_at IS NULL OR g.expires_at >= "
      "$2) AND g.seq <> ALL($4) ORDER BY g.rank, g.seq LIMIT $3 FOR UPDATE SKIP LOCKED) g",
      run_columns);
  return sql;
}

/// From lane to lane of each queue, one look into the index of what waits for each.
constexpr const char* lanes_query =
    "WITH RECURSIVE step(queue, lane) AS (SELECT u.name, (SELECT g.queue FROM ledger g WHERE g.state IN (1, 3) AND "
    "g.queue > u.name || '|' AND g.queue < u.name || '}' ORDER BY g.queue LIMIT 1) FROM unnest($1) AS u(name) UNION "
    "ALL "
    "SELECT s.queue, (SELECT g.queue FROM ledger g WHERE g.state IN (1, 3) AND g.queue > s.lane AND g.queue < s.queue "
    "|| '}' ORDER BY g.queue LIMIT 1) FROM step s WHERE s.lane IS NOT NULL) SELECT lane FROM step WHERE lane IS NOT "
    "NULL";
constexpr const char* rules_query = "SELECT name, is_paused, run_limit FROM queue WHERE name = ANY($1)";

/// The limits of these queues with what runs. Nobody else claims from them before this transaction has ended: what
/// waits for a claim here sees what it has claimed.
Result<ConcurrencyRoom> lock_limits(Transaction& transaction, const std::set<std::string>& queues) {
  Parameters names;
  names.array(queues);
  // Its first run may be one of this transaction's.
  transaction.send(new_queues_query, names);
  transaction.send("SELECT name, run_limit FROM queue WHERE name = ANY($1) ORDER BY name FOR NO KEY UPDATE", names);
  transaction.send("SELECT queue, count(*) FROM ledger WHERE state = 2 GROUP BY queue");
  const auto answers = TRY(transaction.collect());
  ConcurrencyRoom room;
  for (const Row row : answers[1])
    if (const auto limit = row.number_if(1)) room.limit_queue(row.text(0), *limit);
  for (const Row row : answers[2]) room.count_running(row.text(0), row.count(1));
  return room;
}

/// Where one of these lanes has a limit; none if none has.
Result<std::optional<ConcurrencyRoom>> room_of(Transaction& transaction, const ClaimQueues& queues,
                                               const std::set<std::string>& lanes) {
  std::set<std::string> limited;
  for (const std::string& name : lanes) {
    const QueueLane lane = read_lane(name);
    if (queues.limits().is_limited(lane)) limited.insert(lane.queue);
  }
  if (limited.empty()) return std::nullopt;
  return TRY(lock_limits(transaction, limited));
}

}  // namespace

std::optional<StoredSession> read_session(const ResultRows& rows, Instant time) {
  if (rows.empty() || rows[0].instant(2) <= time) return std::nullopt;
  return StoredSession{.id = rows[0].as<SessionId>(0), .lease = rows[0].duration(1), .lease_until = rows[0].instant(2)};
}

void send_queue_questions(Transaction& transaction, std::span<const std::string> queues) {
  const std::set<std::string> names{queues.begin(), queues.end()};
  Parameters values;
  values.array(names);
  transaction.send(rules_query, values);
  transaction.send(lanes_query, values);
}

ClaimQueues::ClaimQueues(std::span<const std::string> queues, const WorkerSkills& skills, const ResultRows& rules,
                         const ResultRows& lanes)
    : filter_{queues, skills} {
  for (const Row row : rules) {
    if (row.flag(1)) paused_.insert(row.text(0));
    if (const auto limit = row.number_if(2)) limits_.limit_queue(row.text(0), *limit);
  }
  for (const std::string& queue : filter_.queues())
    if (!paused_.contains(queue)) open_lanes_.insert(queue);
  for (const Row row : lanes)
    if (is_open(row.text(0))) open_lanes_.insert(row.text(0));
}

bool ClaimQueues::is_open(std::string_view name) const {
  const QueueLane lane = read_lane(name);
  return filter_.admits(lane) && !paused_.contains(lane.queue);
}

Result<std::vector<ClaimedRun>> claim_runs(Transaction& transaction, WriteSet& set, const ClaimRequest& request,
                                           const StoredSession& session, const ClaimQueues& queues) {
  if (request.count_max == 0) return std::vector<ClaimedRun>{};
  std::set<std::string> lanes = queues.open_lanes();
  for (const StoredRun* run : set.ready_runs())
    if (queues.is_open(run->row.queue)) lanes.insert(run->row.queue);
  if (lanes.empty()) return std::vector<ClaimedRun>{};
  auto room = TRY(room_of(transaction, queues, lanes));
  if (room) std::erase_if(lanes, [&](const std::string& lane) { return !room->has_room(read_lane(lane)); });
  if (lanes.empty()) return std::vector<ClaimedRun>{};
  Parameters open;
  open.array(lanes);
  open.add(set.now);
  open.add(std::min<std::size_t>(request.count_max, 1'000'000));
  open.array(set.known_runs());
  TRY(set.add_runs(TRY(transaction.query(candidates_query(), open))));

  std::vector<StoredRun*> found;
  for (StoredRun* run : set.ready_runs())
    if (lanes.contains(run->row.queue) && may_be_claimed(run->row.run, set.now)) found.push_back(run);
  std::ranges::sort(found, {}, claim_place);
  std::vector<StoredRun*> chosen;
  for (StoredRun* run : found) {
    if (chosen.size() == request.count_max) break;
    if (!room || room->take(run->row.queue)) chosen.push_back(run);
  }
  if (chosen.empty()) return std::vector<ClaimedRun>{};
  // After the locks: the numbers of the attempts of a run ascend.
  set.add_seqs(TRY(transaction.query(seqs_query, Parameters{chosen.size()})));
  for (StoredRun* run : chosen) {
    const auto claimed = claim(run->row.run, set.now);
    if (!claimed)
      return fail(ErrorCode::corrupt, "run {} is in a queue, but {}", static_cast<std::int64_t>(run->row.seq),
                  claimed.error().message);
    run->attempt_line = set.next_seq();
    run->row.session = session.id;
    run->row.run = *claimed;
    set.mark_changed(*run);
    set.note(event_of_claim({.uid = run->row.uid, .seq = run->row.seq, .at = set.now}));
    set.add_line({.seq = run->attempt_line, .uid = run->row.uid, .at = set.now},
                 WriteSet::NewAttempt{.run = run->row.seq,
                                      .attempt = claimed->attempt,
                                      .session = session.id,
                                      .claimable_from = claimed->claimable_from});
  }
  return claimed_runs(transaction, {chosen.begin(), chosen.end()}, session, set.now);
}

Result<std::vector<ClaimedRun>> claimed_runs(Transaction& transaction, const std::vector<const StoredRun*>& runs,
                                             const StoredSession& session, Instant now) {
  std::set<Seq> successes;
  for (const StoredRun* run : runs)
    if (run->row.last_success != Seq{}) successes.insert(run->row.last_success);
  std::map<Seq, std::string> results;
  if (!successes.empty()) {
    Parameters values;
    values.array(successes);
    const auto found = TRY(transaction.query("SELECT seq, value FROM result WHERE seq = ANY($1)", values));
    for (const Row row : found) results[row.as<Seq>(0)] = row.text(1);
  }
  std::set<Seq> failed;
  for (const StoredRun* run : runs)
    if (run->row.last_failure != Seq{}) failed.insert(run->row.last_failure);
  std::map<Seq, PastFailure> failures;
  if (!failed.empty()) {
    Parameters values;
    values.array(failed);
    const auto found = TRY(transaction.query(
        "SELECT g.seq, a.state, a.ended_at, a.exit_code, a.reason FROM ledger g JOIN attempt a ON a.seq = "
        "g.attempt_seq WHERE g.seq = ANY($1)",
        values));
    for (const Row row : found) failures[row.as<Seq>(0)] = read_failure_row(row);
  }
  std::vector<ClaimedRun> claimed;
  claimed.reserve(runs.size());
  for (const StoredRun* run : runs) {
    ClaimedRun& one = claimed.emplace_back(ClaimedRun{.row = run->row,
                                                      .fence = static_cast<std::int64_t>(run->attempt_line),
                                                      .lease_until = session.lease_until,
                                                      .store_now = now});
    if (const auto result = results.find(run->row.last_success); result != results.end())
      one.last_result = result->second;
    if (const auto failure = failures.find(run->row.last_failure); failure != failures.end())
      one.last_failure = failure->second;
  }
  return claimed;
}

}  // namespace carillon::postgres
