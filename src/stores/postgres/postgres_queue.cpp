#include "engine/feed_rules.hpp"
#include "stored_rows/row_changes.hpp"
#include "stored_rows/row_flags.hpp"
#include "stores/postgres/claiming.hpp"
#include "stores/postgres/ledger_rows.hpp"
#include "stores/postgres/schedule_views.hpp"
#include "stores/postgres/store_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace carillon {
namespace {

using postgres::Parameters;
using postgres::ResultRows;
using postgres::Row;
using postgres::StoredRun;
using postgres::Transaction;
using postgres::WriteSet;

std::unexpected<Error> session_over(SessionId id) {
  return fail(ErrorCode::not_found, "session {} has ended", static_cast<std::int64_t>(id));
}

/// Sessions whose lease has ended are over for good. One that claims at this moment is left for the next time: it is
/// locked, and what it claims would be missed.
constexpr const char* end_sessions_query =
    "UPDATE session SET phase = 1 WHERE id IN (SELECT id FROM session WHERE phase = 0 AND lease_until <= store_now() "
    "FOR UPDATE SKIP LOCKED)";

const std::string& runs_query(const char* condition) {
  static thread_local std::string sql;
  sql = fmt::format("SELECT {} FROM ledger g {}", postgres::run_columns, condition);
  return sql;
}

/// Locks the runs, sorted by seq.
void send_lock_runs(Transaction& transaction, const std::set<Seq>& seqs) {
  Parameters values;
  values.array(seqs);
  transaction.send(runs_query("WHERE g.seq = ANY($1) ORDER BY g.seq FOR UPDATE"), values);
}

/// Those whose failed runs become dead letters.
constexpr const char* keeping_queues_query = "SELECT name FROM queue WHERE keeps_failed";

std::set<std::string> names_of(const ResultRows& rows) {
  std::set<std::string> names;
  for (const Row row : rows) names.insert(row.text(0));
  return names;
}

/// `limits` as they were when last seen: they say only whether others may be waiting for this one's place.
RunWritten write_run(WriteSet& set, const RunUpdate& update, const ConcurrencyRoom& limits,
                     const std::set<std::string>& keeping) {
  StoredRun* run = set.find_run(update.seq);
  if (run == nullptr || !rows::fits(run->row, update)) return RunWritten::refused;
  if (update.state == RunState::running && update.next.state != RunState::running)
    set.change.has_claimable |= limits.is_limited(read_lane(run->row.queue));
  if (update.end.result) set.set_result(update.seq, *update.end.result);
  Run next = update.next;
  next.is_parked |= has_failed(next) && keeping.contains(std::string{queue_of_lane(run->row.queue)});
  set.change_run(*run, next, update.end);
  set.note(event_of_run({.uid = run->row.uid, .seq = update.seq, .at = set.now}, next));
  if (is_terminal(next.state) && rows::has(run->flags, rows::run_flag::listened)) set.wake_listener(run->row.uid);
  return RunWritten::written;
}

void write_launch(WriteSet& set, SessionId session, const LaunchNotice& launched) {
  StoredRun* run = set.find_run(launched.seq);
  if (run == nullptr || run->row.session != session) return;
  const auto next = launch(run->row.run, launched.attempt, launched.at);
  if (next) set.change_run(*run, *next, {.launched_at = launched.at, .known_as = launched.known_as});
}

}  // namespace

Result<SessionId> PostgresStore::open_session(const std::string& worker, Duration lease) {
  return write_in<SessionId>([&](Transaction& transaction, WriteSet& set) -> Result<SessionId> {
    TRY(begin(transaction, set));
    transaction.send("INSERT INTO session VALUES (nextval('session_seq'), $1, $2, $3, 0) RETURNING id",
                     Parameters{worker, lease, set.now + lease});
    transaction.send(end_sessions_query);
    return TRY(transaction.commit()).front()[0].as<SessionId>(0);
  });
}

// Nothing, if nothing waits; none if that is not certain.
Result<std::optional<ClaimResult>> PostgresStore::claim_nothing(const ClaimRequest& request) {
  const std::set<std::string> queues{request.queues.begin(), request.queues.end()};
  Parameters values;
  values.array(queues);
  values.add(request.session);
  // What waits in a lane of a queue is left to a claim, which knows lanes and limits.
  const auto asked = TRY(
      ask_at("(SELECT lease_until FROM {0}.session WHERE id = $2 AND phase = 0), (SELECT min(n.claimable_from) FROM "
             "unnest($1) AS u(name) JOIN {0}.queue q ON q.name = u.name AND NOT q.is_paused CROSS JOIN LATERAL (SELECT "
             "claimable_from FROM {0}.ledger g WHERE g.queue = q.name AND g.state IN (1, 3) ORDER BY g.claimable_from "
             "LIMIT 1) n), EXISTS (SELECT FROM unnest($1) AS u(name) "
             "CROSS JOIN LATERAL (SELECT FROM {0}.ledger g WHERE g.state IN (1, 3) AND g.queue > u.name || '|' AND "
             "g.queue < u.name || '}}' LIMIT 1) n)",
             values));
  const Instant now = asked.moment.now;
  const auto lease_until = asked.rows[0].instant_if(2);
  const auto first = asked.rows[0].instant_if(3);
  const bool has_lanes = asked.rows[0].flag(4);
  const bool has_stepped = asked.moment.of_rows != now;
  if (has_stepped || has_lanes || !lease_until || *lease_until <= now || (first && *first <= now)) return std::nullopt;
  return ClaimResult{.store_now = now, .runs = {}, .next_claimable = first};
}

Result<ClaimResult> PostgresStore::claim(const ClaimRequest& request) {
  if (!has_claimed_) {
    const auto nothing = claim_nothing(request);
    if (!nothing) health_->note(rows::HealthRecord::Part::claiming, std::unexpected(nothing.error()));
    if (!nothing) return std::unexpected(nothing.error());
    if (*nothing) {
      health_->note(rows::HealthRecord::Part::claiming, Result<>{});
      return **nothing;
    }
  }
  auto claimed = write_in<ClaimResult>([&](Transaction& transaction, WriteSet& set) -> Result<ClaimResult> {
    transaction.send(postgres::session_query, Parameters{request.session});
    postgres::send_queue_questions(transaction, request.queues);
    const auto answers = TRY(begin(transaction, set));
    const auto session = postgres::read_session(answers[0], set.now);
    if (!session) return session_over(request.session);
    const postgres::ClaimQueues queues{request.queues, request.skills, answers[1], answers[2]};
    note_limits(queues.limits());
    ClaimResult result{.store_now = set.now, .runs = {}, .next_claimable = {}};
    result.runs = TRY(postgres::claim_runs(transaction, set, request, *session, queues));
    Parameters values;
    values.array(queues.open_lanes());
    values.add(set.now);
    const auto next = TRY(transaction.query(
        "SELECT min(n.claimable_from) FROM unnest($1) AS u(name) CROSS JOIN LATERAL (SELECT claimable_from FROM ledger "
        "g WHERE g.queue = u.name AND g.state IN (1, 3) AND g.claimable_from > $2 ORDER BY g.claimable_from LIMIT 1) n",
        values));
    result.next_claimable = next[0].instant_if(0);
    TRY(finish(transaction, set));
    return result;
  });
  health_->note(rows::HealthRecord::Part::claiming, claimed ? Result<>{} : std::unexpected(claimed.error()));
  has_claimed_ = claimed && !claimed->runs.empty();
  return claimed;
}

Result<std::vector<RunWritten>> PostgresStore::write(std::span<const RunUpdate> updates) {
  using Answers = std::vector<RunWritten>;
  return write_in<Answers>([&](Transaction& transaction, WriteSet& set) -> Result<Answers> {
    std::set<Seq> seqs;
    for (const RunUpdate& update : updates) seqs.insert(update.seq);
    send_lock_runs(transaction, seqs);
    // Few runs fail: most writes need not ask.
    const bool has_failures =
        std::ranges::any_of(updates, [](const RunUpdate& update) { return has_failed(update.next); });
    if (has_failures) transaction.send(keeping_queues_query);
    const auto answers = TRY(begin(transaction, set));
    TRY(set.add_runs(answers.front()));
    const std::set<std::string> keeping = has_failures ? names_of(answers[1]) : std::set<std::string>{};
    const ConcurrencyRoom limits = known_limits();
    Answers written;
    written.reserve(updates.size());
    for (const RunUpdate& update : updates) written.push_back(write_run(set, update, limits, keeping));
    TRY(finish(transaction, set));
    return written;
  });
}

Result<RunWritten> PostgresStore::write_command(const RunUpdate& update, const CommandMetadata& attached) {
  return write_in<RunWritten>([&](Transaction& transaction, WriteSet& set) -> Result<RunWritten> {
    send_lock_runs(transaction, {update.seq});
    if (attached.request) postgres::send_find_request(transaction, attached.request->key);
    const auto answers = TRY(begin(transaction, set));
    if (attached.request) TRY(postgres::refuse_repeated(answers[1], set.now));
    TRY(set.add_runs(answers[0]));
    const RunWritten written = write_run(set, update, known_limits(), {});
    if (written != RunWritten::written) return written;
    const StoredRun* run = set.find_run(update.seq);
    TRY(write_attached(transaction, set, attached, run == nullptr ? Uid{} : run->row.uid, {}));
    TRY(finish(transaction, set));
    return written;
  });
}

Result<bool> PostgresStore::has_claimable(std::span<const std::string> queues, const WorkerSkills& skills) {
  return read<bool>([&](Transaction& transaction) -> Result<bool> {
    const Moment moment = TRY(read_moment(transaction));
    postgres::send_queue_questions(transaction, queues);
    const auto answers = TRY(transaction.collect());
    Parameters values;
    values.array(postgres::ClaimQueues{queues, skills, answers[0], answers[1]}.open_lanes());
    values.add(moment.of_rows);
    const auto found = TRY(transaction.query(
        "SELECT EXISTS (SELECT FROM unnest($1) AS u(name) CROSS JOIN LATERAL (SELECT FROM ledger g WHERE g.queue = "
        "u.name AND g.state IN (1, 3) AND g.claimable_from <= "
        "$2 AND (g.state = 3 OR g.expires_at IS NULL OR g.expires_at >= $2) LIMIT 1) n)",
        values));
    return found[0].flag(0);
  });
}

// Two statements by themselves in place of a transaction: most beats have nothing to tell and hear nothing. None if
// that is not certain.
Result<std::optional<Pulse>> PostgresStore::beat_without_news(SessionId session) {
  const auto asked = TRY(ask_at(
      "(SELECT lease FROM {0}.session WHERE id = $1 AND phase = 0), EXISTS (SELECT FROM {0}.ledger WHERE session = $1 "
      "AND state = 2 AND stop <> 0)",
      Parameters{session}));
  const Instant now = asked.moment.now;
  const bool has_stepped = asked.moment.of_rows != now;
  if (has_stepped || asked.rows[0].is_null(2) || asked.rows[0].flag(3)) return std::nullopt;
  const Instant lease_until = now + asked.rows[0].duration(2);
  const auto beaten =
      TRY(ask(fmt::format("UPDATE {}.session SET lease_until = $2 WHERE id = $1 AND phase = 0 AND lease_until > $3",
                          url_.schema),
              Parameters{session, lease_until, now}));
  if (beaten.changed_count() == 0) return std::nullopt;
  return Pulse{.store_now = now, .lease_until = lease_until, .stops = {}};
}

Result<Pulse> PostgresStore::heartbeat(const Heartbeat& heartbeat) {
  if (heartbeat.launched.empty())
    if (auto pulse = TRY(beat_without_news(heartbeat.session))) return *std::move(pulse);
  return write_in<Pulse>([&](Transaction& transaction, WriteSet& set) -> Result<Pulse> {
    std::set<Seq> seqs;
    for (const LaunchNotice& launched : heartbeat.launched) seqs.insert(launched.seq);
    send_lock_runs(transaction, seqs);
    transaction.send("SELECT id, lease, lease_until FROM session WHERE id = $1 AND phase = 0 FOR NO KEY UPDATE",
                     Parameters{heartbeat.session});
    const auto answers = TRY(begin(transaction, set));
    const auto session = postgres::read_session(answers[1], set.now);
    if (!session) return session_over(heartbeat.session);
    TRY(set.add_runs(answers[0]));
    for (const LaunchNotice& launched : heartbeat.launched) write_launch(set, session->id, launched);
    Pulse pulse{.store_now = set.now, .lease_until = set.now + session->lease, .stops = {}};
    set.send();
    transaction.send("UPDATE session SET lease_until = $2 WHERE id = $1", Parameters{session->id, pulse.lease_until});
    transaction.send(
        "SELECT seq, attempt, stop FROM ledger WHERE session = $1 AND state = 2 AND stop <> 0 ORDER BY seq",
        Parameters{session->id});
    const auto answered = TRY(transaction.commit());
    for (const Row row : answered.back())
      pulse.stops.push_back({.seq = row.as<Seq>(0), .attempt = row.count(1), .how = row.one_of(2, Stop::terminate)});
    return pulse;
  });
}

Result<> PostgresStore::close_session(SessionId session) {
  return write_void([&](Transaction& transaction, WriteSet&) -> Result<> {
    // Waits for a claim of the session that is under way.
    transaction.send("SELECT FROM session WHERE id = $1 FOR UPDATE", Parameters{session});
    transaction.send("UPDATE session SET phase = 1 WHERE id = $1 AND phase = 0", Parameters{session});
    TRY(transaction.commit());
    return {};
  });
}

Result<std::vector<ClaimedRun>> PostgresStore::read_held(SessionId id) {
  using Runs = std::vector<ClaimedRun>;
  return read<Runs>([&](Transaction& transaction) -> Result<Runs> {
    const Moment moment = TRY(read_moment(transaction));
    transaction.send("SELECT id, lease, lease_until FROM session WHERE id = $1 AND phase = 0", Parameters{id});
    transaction.send(runs_query("WHERE g.session = $1 AND g.state = 2 ORDER BY g.seq"), Parameters{id});
    const auto answers = TRY(transaction.collect());
    const auto session = postgres::read_session(answers[0], moment.of_rows);
    if (!session) return Runs{};
    const auto held = TRY(postgres::read_all_runs(answers[1]));
    std::vector<const StoredRun*> runs;
    for (const StoredRun& run : held) runs.push_back(&run);
    return postgres::claimed_runs(transaction, runs, *session, moment.of_rows);
  });
}

Result<std::vector<ClaimedRun>> PostgresStore::adopt(const ClaimRequest& request) {
  using Runs = std::vector<ClaimedRun>;
  return write_in<Runs>([&](Transaction& transaction, WriteSet& set) -> Result<Runs> {
    transaction.send(postgres::session_query, Parameters{request.session});
    transaction.send(end_sessions_query);
    Parameters values;
    values.array(std::set<std::string>{request.queues.begin(), request.queues.end()});
    values.add(postgres::row_limit(request.count_max));
    // Waits for nobody: what another server adopts at this moment is its own.
    transaction.send(
        runs_query(
            "JOIN session s ON s.id = g.session AND s.phase = 1 WHERE g.state = 2 AND split_part(g.queue, '|', 1) = "
            "ANY($1) ORDER BY g.seq LIMIT $2 FOR UPDATE OF g SKIP LOCKED"),
        values);
    const auto answers = TRY(begin(transaction, set));
    const auto session = postgres::read_session(answers[0], set.now);
    if (!session) return session_over(request.session);
    TRY(set.add_runs(answers[2]));
    std::vector<const StoredRun*> runs;
    for (const Seq seq : set.known_runs()) {
      StoredRun* run = set.find_run(seq);
      if (run == nullptr) continue;
      run->row.session = request.session;
      set.mark_changed(*run);
      runs.push_back(run);
    }
    Runs adopted = TRY(postgres::claimed_runs(transaction, runs, *session, set.now));
    TRY(finish(transaction, set));
    return adopted;
  });
}

// A write: who is seen to be over stays over.
Result<std::vector<QueuedRun>> PostgresStore::read_lost(std::size_t count_max) {
  using Runs = std::vector<QueuedRun>;
  const auto asked =
      TRY(ask_at("(SELECT min(lease_until) FROM {0}.session WHERE phase = 0), EXISTS (SELECT FROM {0}.session WHERE "
                 "phase = 1)"));
  const auto first_end = asked.rows[0].instant_if(2);
  const bool is_any_over = asked.rows[0].flag(3) || (first_end && *first_end <= asked.moment.of_rows);
  if (!is_any_over) return Runs{};
  return write_in<Runs>([&](Transaction& transaction, WriteSet& set) -> Result<Runs> {
    TRY(begin(transaction, set));
    transaction.send(end_sessions_query);
    // A statement of its own sees what the sessions had claimed when they ended.
    transaction.send(
        runs_query("JOIN session s ON s.id = g.session AND s.phase = 1 WHERE g.state = 2 ORDER BY g.session, "
                   "g.seq LIMIT $1"),
        Parameters{postgres::row_limit(count_max)});
    transaction.send(
        "UPDATE session SET phase = 2 WHERE phase = 1 AND NOT EXISTS (SELECT FROM ledger g WHERE g.session = "
        "session.id "
        "AND g.state = 2)");
    Runs lost;
    for (StoredRun& run : TRY(postgres::read_all_runs(TRY(transaction.commit())[1])))
      lost.push_back(std::move(run.row));
    return lost;
  });
}

Result<std::vector<QueuedRun>> PostgresStore::read_expired(std::size_t count_max) {
  using Runs = std::vector<QueuedRun>;
  const auto asked =
      TRY(ask_at("(SELECT expires_at FROM {0}.ledger WHERE state = 1 AND expires_at IS NOT NULL ORDER BY expires_at "
                 "LIMIT 1)"));
  const auto first_end = asked.rows[0].instant_if(2);
  if (!first_end || *first_end >= asked.moment.of_rows) return Runs{};
  return read<Runs>([&](Transaction& transaction) -> Result<Runs> {
    const Moment moment = TRY(read_moment(transaction));
    const auto found = TRY(
        transaction.query(runs_query("WHERE g.state = 1 AND g.expires_at < $1 ORDER BY g.expires_at, g.seq LIMIT $2"),
                          Parameters{moment.of_rows, postgres::row_limit(count_max)}));
    Runs expired;
    for (StoredRun& run : TRY(postgres::read_all_runs(found))) expired.push_back(std::move(run.row));
    return expired;
  });
}

Result<std::vector<std::optional<QueuedRun>>> PostgresStore::read_runs(std::span<const Seq> seqs) {
  using Runs = std::vector<std::optional<QueuedRun>>;
  return read<Runs>([&](Transaction& transaction) -> Result<Runs> {
    Parameters values;
    values.array(seqs);
    const auto found = TRY(transaction.query(runs_query("WHERE g.seq = ANY($1) AND g.outcome <> 2"), values));
    std::unordered_map<Seq, QueuedRun> rows;
    for (StoredRun& run : TRY(postgres::read_all_runs(found))) rows[run.row.seq] = std::move(run.row);
    Runs runs;
    runs.reserve(seqs.size());
    for (const Seq seq : seqs) {
      const auto row = rows.find(seq);
      runs.push_back(row == rows.end() ? std::nullopt : std::optional{row->second});
    }
    return runs;
  });
}

Result<std::optional<std::string>> PostgresStore::read_result(Seq run) {
  using Answer = std::optional<std::string>;
  return read<Answer>([&](Transaction& transaction) -> Result<Answer> {
    const auto found = TRY(transaction.query("SELECT value FROM result WHERE seq = $1", Parameters{run}));
    return found.empty() ? Answer{} : Answer{found[0].text(0)};
  });
}

Result<std::vector<Seq>> PostgresStore::enqueue(std::span<const AdhocRun> jobs, const CommandMetadata& attached) {
  using Seqs = std::vector<Seq>;
  return write_in<Seqs>([&](Transaction& transaction, WriteSet& set) -> Result<Seqs> {
    Parameters names;
    names.column(jobs, [](const AdhocRun& job) { return std::string_view{job.name}; });
    transaction.send("SELECT trigger FROM ledger WHERE uid = 0 AND trigger = ANY($1) LIMIT 1", names);
    transaction.send(postgres::seqs_query, Parameters{jobs.size()});
    if (attached.request) postgres::send_find_request(transaction, attached.request->key);
    const auto answers = TRY(begin(transaction, set));
    if (attached.request) TRY(postgres::refuse_repeated(answers[2], set.now));
    if (!answers[0].empty()) return fail(ErrorCode::conflict, "a job named {} already exists", answers[0][0].text(0));
    set.add_seqs(answers[1]);
    Seqs seqs;
    std::set<std::string_view> known;
    for (const AdhocRun& job : jobs) {
      if (!known.insert(job.name).second) return fail(ErrorCode::conflict, "a job named {} already exists", job.name);
      const Seq seq = set.next_seq();
      seqs.push_back(seq);
      set.add_run(rows::job_row(job, seq, set.now));
      set.note(event_of_job({.seq = seq, .at = set.now}));
    }
    TRY(write_attached(transaction, set, attached, Uid{}, seqs));
    TRY(finish(transaction, set));
    return seqs;
  });
}

Result<bool> PostgresStore::pause_queue(const std::string& queue, bool is_paused, const CommandMetadata& attached) {
  return write_in<bool>([&](Transaction& transaction, WriteSet& set) -> Result<bool> {
    if (attached.request) postgres::send_find_request(transaction, attached.request->key);
    const auto answers = TRY(begin(transaction, set));
    if (attached.request) TRY(postgres::refuse_repeated(answers[0], set.now));
    // One that nobody has heard of is not paused, and need not be made for that.
    const auto changed = TRY(transaction.query(
        is_paused ? "INSERT INTO queue(name, is_paused) VALUES ($1, true) ON CONFLICT (name) DO UPDATE SET "
                    "is_paused = true WHERE NOT queue.is_paused"
                  : "UPDATE queue SET is_paused = false WHERE name = $1 AND is_paused",
        Parameters{queue}));
    if (changed.changed_count() == 0) return false;
    set.change.has_claimable |= !is_paused;
    TRY(write_attached(transaction, set, attached, Uid{}, {}));
    TRY(finish(transaction, set));
    return true;
  });
}

Result<bool> PostgresStore::limit_queue(const std::string& queue, std::optional<std::int64_t> limit,
                                        const CommandMetadata& attached) {
  return write_in<bool>([&](Transaction& transaction, WriteSet& set) -> Result<bool> {
    if (attached.request) postgres::send_find_request(transaction, attached.request->key);
    const auto answers = TRY(begin(transaction, set));
    if (attached.request) TRY(postgres::refuse_repeated(answers[0], set.now));
    const auto changed = TRY(transaction.query(
        limit ? "INSERT INTO queue(name, is_paused, run_limit) VALUES ($1, false, $2) ON CONFLICT (name) DO UPDATE SET "
                "run_limit = excluded.run_limit WHERE queue.run_limit IS DISTINCT FROM excluded.run_limit"
              : "UPDATE queue SET run_limit = $2 WHERE name = $1 AND run_limit IS NOT NULL",
        Parameters{queue, limit}));
    if (changed.changed_count() == 0) return false;
    set.change.has_claimable = true;
    TRY(write_attached(transaction, set, attached, Uid{}, {}));
    TRY(finish(transaction, set));
    return true;
  });
}

Result<bool> PostgresStore::keep_failed(const std::string& queue, bool is_kept, const CommandMetadata& attached) {
  return write_in<bool>([&](Transaction& transaction, WriteSet& set) -> Result<bool> {
    if (attached.request) postgres::send_find_request(transaction, attached.request->key);
    const auto answers = TRY(begin(transaction, set));
    if (attached.request) TRY(postgres::refuse_repeated(answers[0], set.now));
    const auto changed = TRY(transaction.query(
        is_kept ? "INSERT INTO queue(name, is_paused, keeps_failed) VALUES ($1, false, true) ON CONFLICT (name) DO "
                  "UPDATE SET keeps_failed = true WHERE NOT queue.keeps_failed"
                : "UPDATE queue SET keeps_failed = false WHERE name = $1 AND keeps_failed",
        Parameters{queue}));
    if (changed.changed_count() == 0) return false;
    TRY(write_attached(transaction, set, attached, Uid{}, {}));
    TRY(finish(transaction, set));
    return true;
  });
}

Result<bool> PostgresStore::unpark(Seq run, const CommandMetadata& attached) {
  return write_in<bool>([&](Transaction& transaction, WriteSet& set) -> Result<bool> {
    if (attached.request) postgres::send_find_request(transaction, attached.request->key);
    const auto answers = TRY(begin(transaction, set));
    if (attached.request) TRY(postgres::refuse_repeated(answers[0], set.now));
    const auto schedule = TRY(postgres::unpark(transaction, run));
    if (!schedule) return false;
    TRY(write_attached(transaction, set, attached, *schedule, {}));
    TRY(finish(transaction, set));
    return true;
  });
}

void PostgresStore::note_limits(const ConcurrencyRoom& limits) {
  const std::scoped_lock lock{limits_mutex_};
  limits_.add_limits_of(limits);
}

ConcurrencyRoom PostgresStore::known_limits() {
  const std::scoped_lock lock{limits_mutex_};
  return limits_;
}

Result<PostgresStore::Asked> PostgresStore::ask_at(const std::string& columns, const Parameters& values) {
  const std::string sql =
      "SELECT {0}.store_now(), c.moved" + (columns.empty() ? "" : ", " + columns) + " FROM {0}.clock c";
  const Duration before = clock_.since_boot();
  auto rows = TRY(ask(fmt::format(fmt::runtime(sql), url_.schema), values));
  const Row row = rows[0];
  const postgres::ClockReading reading{
      .now = row.instant(0), .moved = row.duration(1), .before = before, .after = clock_.since_boot()};
  const Moment moment{.now = reading.now, .of_rows = reading.now - clock_watch_->step_seen(reading)};
  return Asked{.rows = std::move(rows), .moment = moment};
}

Result<Instant> PostgresStore::store_now() { return TRY(ask_at("")).moment.now; }

}  // namespace carillon
