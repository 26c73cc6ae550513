#include "stores/memory/feed.hpp"
#include "stores/memory/memory_store.hpp"
#include "stores/memory/metadata_writing.hpp"
#include "stores/memory/run_changes.hpp"
#include "stores/memory/tables.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace carillon {
namespace {

using memory::StoredRun;
using memory::StoredSession;
using memory::Tables;
using memory::written_row;

std::unexpected<Error> session_is_over(SessionId id) {
  return fail(ErrorCode::not_found, "session {} has ended", static_cast<std::int64_t>(id));
}

bool is_as_expected(const QueuedRun& row, const RunUpdate& update) {
  const Run& run = row.run;
  return run.attempt == update.attempt && row.session == update.session && run.state == update.state &&
         run.stop == update.stop && run.may_retry == update.may_retry;
}

/// A waiting decision is its schedule's to change, and what has ended stays as it is.
bool may_be_written(const QueuedRun& row) { return row.run.state != RunState::waiting && !is_terminal(row.run.state); }

/// Whether another run may begin because this one has left its worker.
bool frees_a_place(const Tables& tables, const QueuedRun& row, const Run& next) {
  if (row.run.state != RunState::running || next.state == RunState::running) return false;
  const QueueLane lane = read_lane(row.queue);
  const auto queue = tables.queues.find(lane.queue);
  return lane.concurrency || (queue != tables.queues.end() && queue->second.limit);
}

bool keeps_failed(const Tables& tables, const QueuedRun& row) {
  const auto queue = tables.queues.find(std::string{queue_of_lane(row.queue)});
  return queue != tables.queues.end() && queue->second.keeps_failed;
}

RunWritten write_run(Tables& tables, const RunUpdate& update, Instant now) {
  StoredRun* run = tables.find_run(update.seq);
  if (!run || !may_be_written(run->row) || !is_as_expected(run->row, update)) return RunWritten::refused;
  tables.change.has_claimable |= frees_a_place(tables, run->row, update.next);
  Run next = update.next;
  next.is_parked |= has_failed(next) && keeps_failed(tables, run->row);
  note_end(tables, *run, update.end);
  change_run(tables, *run, next, now);
  note(tables, event_of_run(written_row(run->row, now), next));
  if (is_terminal(next.state)) wake_listener(tables, run->row.uid, now);
  return RunWritten::written;
}

Seq put_job(Tables& tables, const AdhocRun& job, Instant now) {
  const Seq seq = tables.ledger.reserve();
  StoredRun run{.row = {.seq = seq,
                        .nominal = now,
                        .due = now,
                        .source = Source::adhoc,
                        .trigger = job.name,
                        .payload = job.document,
                        .rules = job.rules,
                        .name_space = job.name_space,
                        .queue = job.queue,
                        .priority = job.priority,
                        .run = {.state = RunState::waiting, .queued_at = now, .claimable_from = now}}};
  StoredRun& stored = tables.runs.emplace(seq, std::move(run)).first->second;
  change_run(tables, stored, queued_run(job.rules, now), now);
  note(tables, event_of_job(written_row(stored.row, now)));
  tables.job_names.insert(job.name);
  return seq;
}

}  // namespace

Result<SessionId> MemoryStore::open_session(const std::string& worker, Duration lease) {
  const std::scoped_lock lock{mutex_};
  return tables_->open_session(worker, lease, now());
}

Result<ClaimResult> MemoryStore::claim(const ClaimRequest& request) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  if (!tables_->find_session(request.session)) return session_is_over(request.session);
  auto runs = claim_runs(*tables_, request, time);
  const auto lanes = tables_->open_lanes(LaneFilter{request.queues, request.skills});
  return ClaimResult{
      .store_now = time, .runs = std::move(runs), .next_claimable = tables_->ready.next_claimable(lanes, time)};
}

Result<std::vector<RunWritten>> MemoryStore::write(std::span<const RunUpdate> updates) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  std::vector<RunWritten> written;
  for (const RunUpdate& update : updates) written.push_back(write_run(*tables_, update, time));
  return written;
}

Result<bool> MemoryStore::has_claimable(std::span<const std::string> queues, const WorkerSkills& skills) {
  const std::scoped_lock lock{mutex_};
  return !tables_->ready.first(tables_->open_lanes(LaneFilter{queues, skills}), now(), 1).empty();
}

Result<Pulse> MemoryStore::heartbeat(const Heartbeat& heartbeat) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  StoredSession* session = tables_->find_session(heartbeat.session);
  if (!session) return session_is_over(heartbeat.session);
  tables_->renew_lease(heartbeat.session, *session, time);
  for (const LaunchNotice& launched : heartbeat.launched) note_launch(*tables_, heartbeat.session, launched, time);
  Pulse pulse{.store_now = time, .lease_until = session->lease_until, .stops = {}};
  for (const Seq seq : session->stopping) {
    const Run& run = tables_->runs.at(seq).row.run;
    pulse.stops.push_back({.seq = seq, .attempt = run.attempt, .how = run.stop});
  }
  return pulse;
}

Result<> MemoryStore::close_session(SessionId session) {
  const std::scoped_lock lock{mutex_};
  tables_->end_session(session);
  return {};
}

Result<std::vector<ClaimedRun>> MemoryStore::read_held(SessionId session) {
  const std::scoped_lock lock{mutex_};
  const Instant time = now();
  std::vector<ClaimedRun> held;
  const StoredSession* found = tables_->find_session(session);
  if (!found) return held;
  for (const Seq seq : found->held) held.push_back(claimed_run(*tables_, tables_->runs.at(seq), *found, time));
  return held;
}

Result<std::vector<ClaimedRun>> MemoryStore::adopt(const ClaimRequest& request) {
  const std::scoped_lock lock{mutex_};
  const Instant time = now();
  StoredSession* session = tables_->find_session(request.session);
  if (!session) return session_is_over(request.session);
  std::vector<ClaimedRun> adopted;
  for (const Seq seq : std::set<Seq>{tables_->lost}) {
    StoredRun& run = tables_->runs.at(seq);
    if (adopted.size() == request.count_max) break;
    if (std::ranges::find(request.queues, queue_of_lane(run.row.queue)) == request.queues.end()) continue;
    run.row.session = request.session;
    tables_->lost.erase(seq);
    session->held.insert(seq);
    if (run.row.run.stop != Stop::none) session->stopping.insert(seq);
    adopted.push_back(claimed_run(*tables_, run, *session, time));
  }
  return adopted;
}

Result<std::vector<QueuedRun>> MemoryStore::read_lost(std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  static_cast<void>(now());
  std::vector<QueuedRun> lost;
  for (auto seq = tables_->lost.begin(); seq != tables_->lost.end() && lost.size() < count_max; ++seq)
    lost.push_back(tables_->runs.at(*seq).row);
  return lost;
}

Result<std::vector<QueuedRun>> MemoryStore::read_expired(std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  const Instant time = now();
  std::vector<QueuedRun> expired;
  for (const auto& [expires_at, seq] : tables_->expiring) {
    if (expires_at >= time || expired.size() == count_max) break;
    expired.push_back(tables_->runs.at(seq).row);
  }
  return expired;
}

Result<std::vector<std::optional<QueuedRun>>> MemoryStore::read_runs(std::span<const Seq> seqs) {
  const std::scoped_lock lock{mutex_};
  std::vector<std::optional<QueuedRun>> rows;
  for (const Seq seq : seqs) {
    const StoredRun* run = tables_->find_run(seq);
    rows.push_back(run ? std::optional{run->row} : std::nullopt);
  }
  return rows;
}

Result<std::optional<std::string>> MemoryStore::read_result(Seq run) {
  const std::scoped_lock lock{mutex_};
  const StoredRun* found = tables_->find_run(run);
  return found ? found->result : std::nullopt;
}

Result<std::vector<Seq>> MemoryStore::enqueue(std::span<const AdhocRun> jobs, const CommandMetadata& attached) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  TRY(check_attached(*tables_, attached, time));
  std::set<std::string> names;
  for (const AdhocRun& job : jobs)
    if (tables_->job_names.contains(job.name) || !names.insert(job.name).second)
      return fail(ErrorCode::conflict, "a job named {} already exists", job.name);
  std::vector<Seq> seqs;
  for (const AdhocRun& job : jobs) seqs.push_back(put_job(*tables_, job, time));
  write_attached(*tables_, attached, Uid{}, seqs, time);
  return seqs;
}

Result<RunWritten> MemoryStore::write_command(const RunUpdate& update, const CommandMetadata& attached) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  TRY(check_attached(*tables_, attached, time));
  const RunWritten written = write_run(*tables_, update, time);
  if (written == RunWritten::written)
    write_attached(*tables_, attached, tables_->find_run(update.seq)->row.uid, {}, time);
  return written;
}

Result<bool> MemoryStore::pause_queue(const std::string& queue, bool is_paused, const CommandMetadata& attached) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  TRY(check_attached(*tables_, attached, time));
  const auto known = tables_->queues.find(queue);
  const bool was_paused = known != tables_->queues.end() && known->second.is_paused;
  if (was_paused == is_paused) return false;
  tables_->queues[queue].is_paused = is_paused;
  tables_->change.has_claimable |= !is_paused;
  write_attached(*tables_, attached, Uid{}, {}, time);
  return true;
}

Result<bool> MemoryStore::limit_queue(const std::string& queue, std::optional<std::int64_t> limit,
                                      const CommandMetadata& attached) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  TRY(check_attached(*tables_, attached, time));
  const auto known = tables_->queues.find(queue);
  if ((known == tables_->queues.end() ? std::nullopt : known->second.limit) == limit) return false;
  tables_->queues[queue].limit = limit;
  tables_->change.has_claimable = true;
  write_attached(*tables_, attached, Uid{}, {}, time);
  return true;
}

Result<bool> MemoryStore::keep_failed(const std::string& queue, bool is_kept, const CommandMetadata& attached) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  TRY(check_attached(*tables_, attached, time));
  const auto known = tables_->queues.find(queue);
  if ((known != tables_->queues.end() && known->second.keeps_failed) == is_kept) return false;
  tables_->queues[queue].keeps_failed = is_kept;
  write_attached(*tables_, attached, Uid{}, {}, time);
  return true;
}

Result<bool> MemoryStore::unpark(Seq run, const CommandMetadata& attached) {
  const WriteScope scope{*this};
  const Instant time = time_of_writing();
  TRY(check_attached(*tables_, attached, time));
  StoredRun* found = tables_->find_run(run);
  if (found == nullptr || !found->row.run.is_parked) return false;
  found->row.run.is_parked = false;
  write_attached(*tables_, attached, found->row.uid, {}, time);
  return true;
}

Result<Instant> MemoryStore::store_now() {
  const std::scoped_lock lock{mutex_};
  return now();
}

}  // namespace carillon
