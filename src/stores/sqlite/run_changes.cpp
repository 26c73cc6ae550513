#include "stores/sqlite/run_changes.hpp"

#include "stores/sqlite/shared_rows.hpp"

#include <optional>
#include <utility>

namespace carillon::sqlite {
namespace {

Result<> change_attempt(Tables& tables, const StoredRun& run, const Run& before, Instant now, const AttemptEnd& end) {
  if (run.attempt_line == Seq{}) return {};
  const Run& next = run.row.run;
  const bool is_changed = before.attempt != next.attempt || before.attempt_state != next.attempt_state;
  if (!is_changed && !rows::has_content(end)) return {};
  const bool was_open = before.attempt == next.attempt && before.attempt_state && !is_terminal(*before.attempt_state);
  if (was_open && next.attempt_state && is_terminal(*next.attempt_state))
    return tables.lines.end_attempt(run.attempt_line, *next.attempt_state, now, next.ended_at, end);
  return tables.lines.change_attempt(run.attempt_line, is_changed ? next.attempt_state : std::nullopt, now,
                                     next.ended_at, end);
}

Result<Seq> put_job(Tables& tables, const AdhocRun& job, Instant now) {
  const Seq seq = tables.counters.next_seq();
  StoredRun run = rows::job_row(job, seq, now);
  run.queue = TRY(tables.queues.number_of(job.queue));
  TRY(tables.runs.add_job_name(job.name, seq));
  TRY(tables.runs.insert(run, Seq{}));
  TRY(tables.ready.put(run, now));
  tables.feed.note(event_of_job(written_row(run, now)));
  return seq;
}

}  // namespace

Result<> change_run(Tables& tables, StoredRun& run, const Run& next, Instant now, const AttemptEnd& end) {
  const Run before = run.row.run;
  const Seq seq = run.row.seq;
  if (rows::is_ready(before)) TRY(tables.ready.drop(run));
  if (rows::is_being_stopped(before) && !rows::is_being_stopped(next))
    TRY(tables.sessions.forget_stop(run.row.session, seq));
  run.row.run = next;
  if (rows::is_ready(next)) TRY(tables.ready.put(run, now));
  if (rows::is_being_stopped(next)) TRY(tables.sessions.ask_to_stop(run.row.session, seq));
  run.flags = rows::flags_after(run.flags, next);
  TRY(change_attempt(tables, run, before, now, end));
  return tables.runs.save_run(run);
}

Result<RunWritten> write_run(Tables& tables, const RunUpdate& update, Instant now) {
  // Nearly all are ends of attempts.
  const bool is_running = update.state == RunState::running;
  auto found = is_running ? tables.runs.find_running(update.seq) : tables.runs.find_briefly(update.seq);
  if (!found) return std::unexpected(std::move(found).error());
  std::optional<StoredRun>& run = *found;
  if (!run || !rows::fits(run->row, update)) return RunWritten::refused;
  // Another one may begin in its place.
  if (is_running && update.next.state != RunState::running)
    tables.change.has_claimable |= TRY(tables.queues.is_limited(run->queue));
  if (update.end.result) TRY(tables.runs.set_result(update.seq, *update.end.result));
  Run next = update.next;
  next.is_parked = next.is_parked || (has_failed(next) && TRY(tables.queues.keeps_failed(run->queue)));
  TRY(change_run(tables, *run, next, now, update.end));
  tables.feed.note(event_of_run(written_row(*run, now), next));
  if (is_terminal(next.state) && has(run->flags, run_flag::listened))
    TRY(tables.states.wake_listener(run->row.uid, now));
  return RunWritten::written;
}

Result<> note_launch(Tables& tables, SessionId session, const LaunchNotice& launched, Instant now) {
  auto run = TRY(tables.runs.find_briefly(launched.seq));
  if (!run || run->row.session != session) return {};
  const auto next = launch(run->row.run, launched.attempt, launched.at);
  if (!next) return {};
  return change_run(tables, *run, *next, now, {.launched_at = launched.at, .known_as = launched.known_as});
}

Result<std::vector<QueuedRun>> lost_runs(Tables& tables, std::size_t count_max) {
  std::vector<QueuedRun> lost;
  for (const SessionId session : TRY(tables.sessions.lost())) {
    if (lost.size() == count_max) break;
    auto held = TRY(tables.runs.held_by(session, count_max - lost.size()));
    if (held.empty()) TRY(tables.sessions.settle(session));
    for (StoredRun& run : held) lost.push_back(std::move(run.row));
  }
  return lost;
}

Result<std::vector<Seq>> put_jobs(Tables& tables, std::span<const AdhocRun> jobs, Instant now) {
  std::vector<Seq> seqs;
  for (const AdhocRun& job : jobs) seqs.push_back(TRY(put_job(tables, job, now)));
  return seqs;
}

}  // namespace carillon::sqlite
