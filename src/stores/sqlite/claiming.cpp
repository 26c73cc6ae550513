#include "stores/sqlite/claiming.hpp"

#include "stores/sqlite/run_changes.hpp"

#include <algorithm>
#include <utility>

namespace carillon::sqlite {
namespace {

/// One that may be claimed, from the queue or fresh.
struct Candidate {
  ReadyRun entry;
  StoredRun* fresh = nullptr;
  [[nodiscard]] std::pair<Instant, Seq> place() const { return {entry.rank, entry.seq}; }
};

Result<std::vector<Candidate>> candidates(Tables& tables, const ClaimRequest& request, std::vector<FreshRun>& fresh,
                                          Instant now) {
  const auto queues = TRY(tables.ready.open_queues(request.queues));
  std::vector<Candidate> found;
  for (const ReadyRun& entry : TRY(tables.ready.first(queues, now, request.count_max)))
    found.push_back({.entry = entry});
  for (FreshRun& one : fresh) {
    const ReadyRun entry = ready_run_of(one.run);
    if (std::ranges::binary_search(queues, entry.queue) && entry.may_be_claimed(now))
      found.push_back({.entry = entry, .fresh = &one.run});
  }
  std::ranges::sort(found, {}, &Candidate::place);
  if (found.size() > request.count_max) found.resize(request.count_max);
  return found;
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

Result<StoredRun> take_from_queue(Tables& tables, const ReadyRun& entry, const StoredSession& session, Instant now) {
  TRY(tables.ready.drop(entry));
  auto run = TRY(tables.runs.find(entry.seq));
  if (!run)
    return fail(ErrorCode::corrupt, "{}: run {} is in a queue, but there is none", tables.connection->file().string(),
                static_cast<std::int64_t>(entry.seq));
  TRY(take(tables, *run, session, now));
  TRY(tables.runs.save_run(*run));
  if (run->row.run.stop != Stop::none) TRY(tables.sessions.ask_to_stop(session.id, entry.seq));
  return *std::move(run);
}

}  // namespace

Result<ClaimedRun> claimed_run(Tables& tables, QueuedRun run, Seq attempt_line, const StoredSession& session) {
  const Seq last_success = run.last_success;
  Result<ClaimedRun> claimed{std::in_place, std::move(run), static_cast<std::int64_t>(attempt_line),
                             session.lease_until};
  if (last_success != Seq{}) claimed->last_result = TRY(tables.runs.result(last_success));
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
      claimed.push_back(TRY(claimed_run(tables, one.fresh->row, one.fresh->attempt_line, session)));
    } else {
      StoredRun run = TRY(take_from_queue(tables, one.entry, session, now));
      claimed.push_back(TRY(claimed_run(tables, std::move(run.row), run.attempt_line, session)));
    }
  }
  TRY(queue_fresh(tables, fresh, now));
  return claimed;
}

}  // namespace carillon::sqlite
