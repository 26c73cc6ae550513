#include "stores/sqlite/claiming.hpp"
#include "stores/sqlite/metadata_writing.hpp"
#include "stores/sqlite/run_changes.hpp"
#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/store_calls.hpp"

namespace carillon {
namespace {

using sqlite::FreshRun;
using sqlite::Lane;
using sqlite::StoredRun;
using sqlite::Tables;

std::unexpected<Error> session_is_over(SessionId id) {
  return fail(ErrorCode::not_found, "session {} has ended", static_cast<std::int64_t>(id));
}

}  // namespace

Result<SessionId> SqliteStore::open_session(const std::string& worker, Duration lease) {
  TRY(expect_undamaged());
  return write_in<SessionId>(Lane::worker, [&](Tables& tables, Instant now) -> Result<SessionId> {
    const SessionId id = tables.counters.next_session();
    TRY(tables.sessions.open(id, worker, lease, now));
    return id;
  });
}

Result<ClaimResult> SqliteStore::claim(const ClaimRequest& request) {
  TRY(expect_undamaged());
  auto claimed = write_in<ClaimResult>(Lane::worker, [&](Tables& tables, Instant now) -> Result<ClaimResult> {
    const auto session = TRY(tables.sessions.find(request.session, now));
    if (!session) return session_is_over(request.session);
    std::vector<FreshRun> none;
    auto runs = TRY(claim_runs(tables, request, *session, none, now));
    sqlite::LaneSelection selection{tables.queues, request.queues, request.skills};
    const auto lanes = TRY(tables.ready.lanes(selection));
    return ClaimResult{
        .store_now = now, .runs = std::move(runs), .next_claimable = TRY(tables.ready.next_claimable(lanes))};
  });
  health_->note(rows::HealthRecord::Part::claiming, claimed ? Result<>{} : std::unexpected(claimed.error()));
  return claimed;
}

Result<std::vector<RunWritten>> SqliteStore::write(std::span<const RunUpdate> updates) {
  using Answers = std::vector<RunWritten>;
  return write_in<Answers>(Lane::worker, [&](Tables& tables, Instant now) -> Result<Answers> {
    Answers written;
    written.reserve(updates.size());
    for (const RunUpdate& update : updates) written.push_back(TRY(write_run(tables, update, now)));
    return written;
  });
}

Result<bool> SqliteStore::has_claimable(std::span<const std::string> queues, const WorkerSkills& skills) {
  return read<bool>([&](Tables& tables, Instant now) -> Result<bool> {
    sqlite::LaneSelection selection{tables.queues, queues, skills};
    return tables.ready.has_claimable(TRY(tables.ready.lanes(selection)), now);
  });
}

Result<Pulse> SqliteStore::heartbeat(const Heartbeat& heartbeat) {
  return write_in<Pulse>(Lane::worker, [&](Tables& tables, Instant now) -> Result<Pulse> {
    auto session = TRY(tables.sessions.find(heartbeat.session, now));
    if (!session) return session_is_over(heartbeat.session);
    TRY(tables.sessions.renew(*session, now));
    for (const LaunchNotice& launched : heartbeat.launched) TRY(note_launch(tables, session->id, launched, now));
    return Pulse{
        .store_now = now, .lease_until = session->lease_until, .stops = TRY(tables.sessions.stops(heartbeat.session))};
  });
}

Result<> SqliteStore::close_session(SessionId session) {
  return write_in(Lane::worker, [&](Tables& tables, Instant) { return tables.sessions.close(session); });
}

Result<> SqliteStore::end_all_sessions() {
  return write_in(Lane::housekeeping, [](Tables& tables, Instant) { return tables.sessions.advance(instant_max); });
}

Result<std::vector<ClaimedRun>> SqliteStore::read_held(SessionId id) {
  using Runs = std::vector<ClaimedRun>;
  return read<Runs>([&](Tables& tables, Instant now) -> Result<Runs> {
    Runs held;
    const Instant time = TRY(time_of_rows(tables, now, clock_offset(now, clock_.since_boot())));
    const auto session = TRY(tables.sessions.find(id, time));
    if (!session) return held;
    for (StoredRun& run : TRY(tables.runs.held_by(id, std::size_t(-1))))
      held.push_back(TRY(claimed_run(tables, std::move(run.row), run.attempt_line, *session, time)));
    return held;
  });
}

// A write: who is seen to be over stays over.
Result<std::vector<QueuedRun>> SqliteStore::read_lost(std::size_t count_max) {
  return write_in<std::vector<QueuedRun>>(Lane::housekeeping,
                                          [&](Tables& tables, Instant) { return lost_runs(tables, count_max); });
}

Result<std::vector<QueuedRun>> SqliteStore::read_expired(std::size_t count_max) {
  using Runs = std::vector<QueuedRun>;
  return read<Runs>([&](Tables& tables, Instant now) -> Result<Runs> {
    Runs expired;
    const Instant time = TRY(time_of_rows(tables, now, clock_offset(now, clock_.since_boot())));
    for (const Seq seq : TRY(tables.ready.expired(time, count_max)))
      if (auto run = TRY(tables.runs.find(seq))) expired.push_back(std::move(run->row));
    return expired;
  });
}

Result<std::vector<std::optional<QueuedRun>>> SqliteStore::read_runs(std::span<const Seq> seqs) {
  using Runs = std::vector<std::optional<QueuedRun>>;
  return read<Runs>([&](Tables& tables, Instant) -> Result<Runs> {
    Runs rows;
    rows.reserve(seqs.size());
    for (const Seq seq : seqs) {
      auto run = TRY(tables.runs.find(seq));
      rows.push_back(run ? std::optional{std::move(run->row)} : std::nullopt);
    }
    return rows;
  });
}

Result<std::optional<std::string>> SqliteStore::read_result(Seq run) {
  return read<std::optional<std::string>>([&](Tables& tables, Instant) { return tables.runs.result(run); });
}

Result<std::vector<Seq>> SqliteStore::enqueue(std::span<const AdhocRun> jobs, const CommandMetadata& attached) {
  using Seqs = std::vector<Seq>;
  return write_in<Seqs>(Lane::user, [&](Tables& tables, Instant now) -> Result<Seqs> {
    TRY(check_attached(tables, attached, now));
    auto seqs = TRY(put_jobs(tables, jobs, now));
    TRY(write_attached(tables, attached, Uid{}, seqs, now));
    return seqs;
  });
}

Result<RunWritten> SqliteStore::write_command(const RunUpdate& update, const CommandMetadata& attached) {
  return write_in<RunWritten>(Lane::user, [&](Tables& tables, Instant now) -> Result<RunWritten> {
    TRY(check_attached(tables, attached, now));
    const RunWritten written = TRY(write_run(tables, update, now));
    if (written != RunWritten::written) return written;
    const auto run = TRY(tables.runs.find_briefly(update.seq));
    TRY(write_attached(tables, attached, run ? run->row.uid : Uid{}, {}, now));
    return written;
  });
}

Result<bool> SqliteStore::pause_queue(const std::string& queue, bool is_paused, const CommandMetadata& attached) {
  return write_in<bool>(Lane::user, [&](Tables& tables, Instant now) -> Result<bool> {
    TRY(check_attached(tables, attached, now));
    if (!TRY(tables.queues.set_paused(queue, is_paused))) return false;
    tables.change.has_claimable |= !is_paused;
    TRY(write_attached(tables, attached, Uid{}, {}, now));
    return true;
  });
}

Result<bool> SqliteStore::limit_queue(const std::string& queue, std::optional<std::int64_t> limit,
                                      const CommandMetadata& attached) {
  return write_in<bool>(Lane::user, [&](Tables& tables, Instant now) -> Result<bool> {
    TRY(check_attached(tables, attached, now));
    if (!TRY(tables.queues.set_limit(queue, limit))) return false;
    tables.change.has_claimable = true;
    TRY(write_attached(tables, attached, Uid{}, {}, now));
    return true;
  });
}

Result<bool> SqliteStore::keep_failed(const std::string& queue, bool is_kept, const CommandMetadata& attached) {
  return write_in<bool>(Lane::user, [&](Tables& tables, Instant now) -> Result<bool> {
    TRY(check_attached(tables, attached, now));
    if (!TRY(tables.queues.keep_failed(queue, is_kept))) return false;
    TRY(write_attached(tables, attached, Uid{}, {}, now));
    return true;
  });
}

Result<bool> SqliteStore::unpark(Seq run, const CommandMetadata& attached) {
  return write_in<bool>(Lane::user, [&](Tables& tables, Instant now) -> Result<bool> {
    TRY(check_attached(tables, attached, now));
    const auto schedule = TRY(sqlite::unpark(tables, run));
    if (!schedule) return false;
    TRY(write_attached(tables, attached, *schedule, {}, now));
    return true;
  });
}

Result<Instant> SqliteStore::store_now() { return clock_.now(); }

}  // namespace carillon
