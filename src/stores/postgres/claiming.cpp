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

/// Of each queue the first ones, locked.
const std::string& candidates_query() {
  static const std::string sql = fmt::format(
      "SELECT {} FROM unnest($1) AS q(name) CROSS JOIN LATERAL (SELECT g.* FROM ledger g WHERE g.queue = q.name "
      "AND g.state IN (1, 3) AND g.claimable_from <= $2 AND (g.state = 3 OR g.expires_at IS NULL OR g.expires_at >= "
      "$2) AND g.seq <> ALL($4) ORDER BY g.rank, g.seq LIMIT $3 FOR UPDATE SKIP LOCKED) g",
      run_columns);
  return sql;
}

}  // namespace

std::optional<StoredSession> read_session(const ResultRows& rows, Instant time) {
  if (rows.empty() || rows[0].instant(2) <= time) return std::nullopt;
  return StoredSession{.id = rows[0].as<SessionId>(0), .lease = rows[0].duration(1), .lease_until = rows[0].instant(2)};
}

Result<std::vector<ClaimedRun>> claim_runs(Transaction& transaction, WriteSet& set, const ClaimRequest& request,
                                           const StoredSession& session, const ResultRows& paused) {
  if (request.count_max == 0) return std::vector<ClaimedRun>{};
  std::set<std::string> wanted{request.queues.begin(), request.queues.end()};
  for (const Row row : paused) wanted.erase(row.text(0));
  if (wanted.empty()) return std::vector<ClaimedRun>{};
  Parameters open;
  open.array(wanted);
  open.add(set.now);
  open.add(std::min<std::size_t>(request.count_max, 1'000'000));
  open.array(set.known_runs());
  TRY(set.add_runs(TRY(transaction.query(candidates_query(), open))));

  std::vector<StoredRun*> chosen;
  for (StoredRun* run : set.ready_runs())
    if (wanted.contains(run->row.queue) && may_be_claimed(run->row.run, set.now)) chosen.push_back(run);
  std::ranges::sort(chosen, {}, claim_place);
  if (chosen.size() > request.count_max) chosen.resize(request.count_max);
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
  return claimed_runs(transaction, {chosen.begin(), chosen.end()}, session);
}

Result<std::vector<ClaimedRun>> claimed_runs(Transaction& transaction, const std::vector<const StoredRun*>& runs,
                                             const StoredSession& session) {
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
  std::vector<ClaimedRun> claimed;
  claimed.reserve(runs.size());
  for (const StoredRun* run : runs) {
    ClaimedRun& one = claimed.emplace_back(ClaimedRun{
        .row = run->row, .fence = static_cast<std::int64_t>(run->attempt_line), .lease_until = session.lease_until});
    if (const auto result = results.find(run->row.last_success); result != results.end())
      one.last_result = result->second;
  }
  return claimed;
}

}  // namespace carillon::postgres
