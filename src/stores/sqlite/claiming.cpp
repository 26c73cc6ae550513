#include "stores/sqlite/claiming.hpp"

#include "stores/sqlite/run_changes.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace carillon::sqlite {
namespace {

/// One that may be claimed, from the queue or fresh.
struct Candidate {
  ReadyRun entry;
  StoredRun* fresh = nullptr;
  [[nodiscard]] std::pair<Instant, Seq> place() const { return {entry.rank, entry.seq}; }
};

/// The limits that count here, with what runs; none if no lane of the candidates has one.
Result<std::optional<ConcurrencyRoom>> room_for(Tables& tables, const std::vector<Candidate>& found) {
  std::set<std::int64_t> seen;
  bool is_limited = false;
  for (const Candidate& one : found)
    if (!is_limited && seen.insert(one.entry.queue).second) is_limited = TRY(tables.queues.is_limited(one.entry.queue));
  if (!is_limited) return std::nullopt;
  ConcurrencyRoom room = TRY(tables.queues.limits());
  for (const auto& [lane, count] : TRY(tables.queue_records.running()))
    room.count_running(TRY(tables.queues.name_of(lane)), count);
  return room;
}

/// Those that may run now, the first so many.
Result<std::vector<Candidate>> chosen_of(Tables& tables, std::vector<Candidate> found, std::size_t count_max) {
  auto room = TRY(room_for(tables, found));
  if (!room) {
    if (found.size() > count_max) found.resize(count_max);
    return found;
  }
  std::vector<Candidate> chosen;
  for (const Candidate& one : found) {
    if (chosen.size() == count_max) break;
    if (room->take(TRY(tables.queues.name_of(one.entry.queue)))) chosen.push_back(one);
  }
  return chosen;
}

Result<std::vector<Candidate>> candidates(Tables& tables, const ClaimRequest& request, std::vector<FreshRun>& fresh,
                                          Instant now) {
  LaneSelection selection{tables.queues, request.queues, request.skills};
  const auto lanes = TRY(tables.ready.lanes(selection));
  std::vector<Candidate> found;
  for (const ReadyRun& entry : TRY(tables.ready.first(lanes, now, request.count_max)))
    found.push_back({.entry = entry});
  for (FreshRun& one : fresh) {
    const ReadyRun entry = ready_run_of(one.run);
    if (entry.may_be_claimed(now) && TRY(selection.contains(entry.queue)))
      found.push_back({.entry = entry, .fresh = &one.run});
  }
  std::ranges::sort(found, {}, &Candidate::place);
  return chosen_of(tables, std::move(found), request.count_max);
}

/// The run with a new attempt, whose line is written.
Result<> take(Tables& tables, StoredRun& run, const StoredSession& session, Instant now) {
  const auto claimed = claim(run.row.run, now);
  // It stood in a queue, so that a run which cannot be claimed is not what was written.
  if (!claimed)
    return fail(ErrorCode::corrupt, "{}: run {} is in a queue, but {}", tables.connection->file().string(),
                static_cast<std::int64_t>(run.row.seq), claimed.error().message);
  const Seq previous = std::exchange(run.attempt_line, tables.counters.next_seq());
  run.row.session = session.id;
  run.row.run = *claimed;
  tables.feed.note(event_of_claim(written_row(run, now)));
  return tables.lines.add({.seq = run.attempt_line, .uid = run.row.uid, .at = now},
                          NewAttempt{.run = run.row.seq,
                                     .attempt = claimed->attempt,
                                     .session = session.id,
                                     .claimable_from = claimed->claimable_from,
                                     .previous = previous});
}

Result<ClaimedRun> take_from_queue(Tables& tables, const ReadyRun& entry, const StoredSession& session, Instant now) {
  TRY(tables.ready.drop(entry));
  auto run = TRY(tables.runs.find(entry.seq));
  if (!run)
    return fail(ErrorCode::corrupt, "{}: run {} is in a queue, but there is none", tables.connection->file().string(),
                static_cast<std::int64_t>(entry.seq));
  TRY(take(tables, *run, session, now));
  TRY(tables.runs.save_run(*run));
  if (run->row.run.stop != Stop::none) TRY(tables.sessions.ask_to_stop(session.id, entry.seq));
  return claimed_run(tables, std::move(run->row), run->attempt_line, session, now);
}

}  // namespace

Result<ClaimedRun> claimed_run(Tables& tables, QueuedRun&& run, Seq attempt_line, const StoredSession& session,
                               Instant now) {
  const Seq last_success = run.last_success;
  const Seq last_failure = run.last_failure;
  Result<ClaimedRun> claimed{std::in_place, std::move(run), static_cast<std::int64_t>(attempt_line),
                             session.lease_until, now};
  if (last_success != Seq{}) claimed->last_result = TRY(tables.runs.result(last_success));
  if (last_failure != Seq{}) claimed->last_failure = TRY(tables.runs.failure(last_failure));
  return claimed;
}

Result<> queue_fresh(Tables& tables, std::vector<FreshRun>& fresh, Instant now) {
  for (const auto& [run, previous] : fresh) {
    TRY(tables.runs.insert(run, previous));
    if (run.row.run.state == RunState::queued) TRY(tables.ready.put(run, now));
  }
  fresh.clear();
  return {};
}

Result<std::vector<ClaimedRun>> claim_runs(Tables& tables, const ClaimRequest& request, const StoredSession& session,
                                           std::vector<FreshRun>& fresh, Instant now) {
  std::vector<ClaimedRun> claimed;
  const auto chosen = TRY(candidates(tables, request, fresh, now));
  claimed.reserve(chosen.size());
  for (const Candidate& one : chosen) {
    if (one.fresh != nullptr) {
      TRY(take(tables, *one.fresh, session, now));
      claimed.push_back(TRY(claimed_run(tables, QueuedRun{one.fresh->row}, one.fresh->attempt_line, session, now)));
    } else {
      claimed.push_back(TRY(take_from_queue(tables, one.entry, session, now)));
    }
  }
  TRY(queue_fresh(tables, fresh, now));
  return claimed;
}

}  // namespace carillon::sqlite
