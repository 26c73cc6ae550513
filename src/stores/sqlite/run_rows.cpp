#include "stores/sqlite/run_rows.hpp"

#include "stores/sqlite/shared_rows.hpp"

#include <algorithm>
#include <limits>

namespace carillon::sqlite {
namespace {

constexpr const char* run_query =
    "SELECT seq, uid, at, server, revision, version, nominal, due, source, outcome, reason, waited_from, overlap, "
    "backfill, flags, state, run_revision, queue, priority, last_success, attempt, attempt_state, attempt_seq, "
    "session, stop, queued_at, claimable_from, expires_at, started_at, ended_at, repeats, last_failure FROM ledger ";

/// Of jobs that were queued when there was no other.
constexpr std::string_view default_namespace = "default";

std::string run_query_with(const char* condition) { return std::string{run_query} + condition; }

std::int64_t read_priority(const Cursor& row, int column) {
  return row.number_in(column, -stored_priority_max, stored_priority_max);
}

Run read_state(const Cursor& row, std::int64_t flags) {
  return {.state = row.one_of(15, RunState::expired),
          .attempt = row.count(20),
          .attempt_state = row.one_of_if(21, AttemptState::released),
          .stop = row.one_of(24, Stop::terminate),
          .may_retry = !has(flags, run_flag::last_try),
          .released_count = released_count(flags),
          .lost_count = rows::lost_count(flags),
          .is_parked = has(flags, run_flag::parked),
          .queued_at = row.instant(25),
          .claimable_from = row.instant(26),
          .expires_at = row.instant_if(27),
          .started_at = row.instant_if(28),
          .ended_at = row.instant_if(29)};
}

}  // namespace

RunRows::RunRows(Connection& connection, QueueNames& queues)
    : connection_{connection},
      queues_{queues},
      insert_{connection,
              "INSERT INTO ledger VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, "
              "?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, 0, ?26, ?27, ?28, NULL, NULL, ?29, "
              "?30)"},
      insert_extra_{connection, "INSERT INTO extra VALUES (?1, ?2, ?3, ?4, ?5)"},
      find_{connection, run_query_with("WHERE seq = ?1 AND outcome <> 2")},
      find_decision_{connection, run_query_with("WHERE seq = ?1")},
      find_briefly_{connection,
                    "SELECT uid, flags, state, queue, priority, attempt, attempt_state, attempt_seq, session, stop, "
                    "queued_at, claimable_from, expires_at, started_at, ended_at FROM ledger "
                    "WHERE seq = ?1 AND outcome <> 2"},
      find_running_{connection,
                    "SELECT uid, flags, queue, priority, attempt, attempt_state, attempt_seq, session, stop "
                    "FROM ledger WHERE seq = ?1 AND state = 2"},
      held_{connection, run_query_with("WHERE session = ?1 AND state = 2 ORDER BY seq LIMIT ?2")},
      extra_{connection, "SELECT trigger, payload, rules, namespace FROM extra WHERE seq = ?1"},
      save_run_{connection,
                "UPDATE ledger SET flags = ?2, state = ?3, attempt = ?4, attempt_state = ?5, attempt_seq = ?6, "
                "session = ?7, stop = ?8, queued_at = ?9, claimable_from = ?10, expires_at = ?11, started_at = ?12, "
                "ended_at = ?13 WHERE seq = ?1"},
      save_decision_{connection,
                     "UPDATE ledger SET at = ?2, server = ?3, revision = ?4, version = ?5, outcome = ?6, reason = ?7, "
                     "waited_from = ?8, flags = ?9, run_revision = ?10, queue = ?11, priority = ?12, "
                     "last_success = ?13, repeats = ?14, last_failure = ?15 WHERE seq = ?1"},
      is_open_{connection,
               "SELECT 1 FROM ledger WHERE seq = ?1 AND uid = ?2 AND outcome = 1 AND state BETWEEN 1 AND 3"},
      add_job_name_{connection, "INSERT OR IGNORE INTO job VALUES (?1, ?2)"},
      set_result_{connection, "INSERT OR REPLACE INTO result VALUES (?1, ?2)"},
      result_{connection, "SELECT value FROM result WHERE seq = ?1"},
      failure_{connection,
               "SELECT a.state, a.ended_at, a.exit_code, a.reason FROM ledger g CROSS JOIN attempt a ON "
               "a.seq = g.attempt_seq WHERE g.seq = ?1"} {
  static_assert(static_cast<int>(DecisionOutcome::skipped) == 2 && static_cast<int>(DecisionOutcome::started) == 1);
  static_assert(static_cast<int>(RunState::queued) == 1 && static_cast<int>(RunState::running) == 2 &&
                static_cast<int>(RunState::retrying) == 3);
}

Result<> RunRows::insert(const StoredRun& run, Seq previous) {
  const QueuedRun& row = run.row;
  const bool has_run = run.outcome != DecisionOutcome::skipped;
  // What a skip was for is told; what it would have done is not.
  const bool has_extra = !row.trigger.empty() || (has_run && (row.payload || row.rules));
  const Run& state = row.run;
  const auto if_run = [has_run](auto value) { return has_run ? std::optional{value} : std::nullopt; };
  TRY(insert_.run(row.seq, row.uid, previous, run.at, run.server, run.revision, run.version, row.nominal, row.due,
                  row.source, run.outcome, run.reason, run.waited_from, run.overlap, row.backfill,
                  with(run.flags, run_flag::has_extra, has_extra), if_run(state.state), row.revision, run.queue,
                  row.priority, row.last_success, state.attempt, state.attempt_state, run.attempt_line, row.session,
                  if_run(state.queued_at), if_run(state.claimable_from), state.expires_at, row.repeat_number,
                  row.last_failure));
  if (!has_extra) return {};
  const std::string rules = row.rules ? rules_bytes(*row.rules) : std::string{};
  const bool has_namespace = !row.name_space.empty();
  return insert_extra_.run(row.seq, row.trigger, row.payload, row.rules ? std::optional{Blob{rules}} : std::nullopt,
                           has_namespace ? std::optional<std::string_view>{row.name_space} : std::nullopt);
}

// A run is read where it is to be, since it has much to be moved.
Result<> RunRows::read_run(const Cursor& row, StoredRun& run) {
  run.at = row.instant(2);
  run.server = row.number(3);
  run.revision = row.count(4);
  run.version = row.count(5);
  run.outcome = row.one_of(9, DecisionOutcome::skipped);
  run.reason = row.one_of_if(10, SkipReason::outage);
  run.waited_from = row.instant_if(11);
  run.overlap = row.one_of_if(12, OverlapPolicy::allow_all);
  run.flags = row.number(14);
  run.queue = row.number(17);
  run.attempt_line = row.as<Seq>(22);
  QueuedRun& queued = run.row;
  queued.seq = row.as<Seq>(0);
  queued.uid = row.as<Uid>(1);
  queued.revision = row.count(16);
  queued.nominal = row.instant(6);
  queued.due = row.instant(7);
  queued.source = row.one_of(8, Source::adhoc);
  queued.backfill = row.count(13);
  queued.last_success = row.as<Seq>(19);
  queued.last_failure = row.as<Seq>(31);
  queued.repeat_number = row.count(30);
  queued.queue = TRY(queues_.name_of(run.queue));
  queued.priority = read_priority(row, 18);
  queued.session = row.as<SessionId>(23);
  queued.run = read_state(row, run.flags);
  TRY(row.check());
  if (has(run.flags, run_flag::has_extra)) TRY(add_extra(run));
  return {};
}

Result<> RunRows::add_extra(StoredRun& run) {
  Cursor row = extra_.query(run.row.seq);
  if (!TRY(row.next())) return {};
  run.row.trigger = row.text(0);
  if (!row.is_null(1)) run.row.payload = row.text(1);
  if (!row.is_null(2)) run.row.rules = TRY(read_rules(row.bytes(2)));
  if (run.row.uid == Uid{}) run.row.name_space = row.is_null(3) ? default_namespace : row.text(3);
  return {};
}

Result<std::optional<StoredRun>> RunRows::first_of(Cursor row) {
  if (!TRY(row.next())) return std::nullopt;
  Result<std::optional<StoredRun>> found{std::in_place, std::in_place};
  TRY(read_run(row, **found));
  return found;
}

Result<std::optional<StoredRun>> RunRows::find(Seq seq) { return first_of(find_.query(seq)); }

Result<std::optional<StoredRun>> RunRows::find_decision(Seq seq) { return first_of(find_decision_.query(seq)); }

Result<std::optional<StoredRun>> RunRows::find_briefly(Seq seq) {
  Cursor row = find_briefly_.query(seq);
  if (!TRY(row.next())) return std::nullopt;
  Result<std::optional<StoredRun>> found{std::in_place, std::in_place};
  StoredRun& run = **found;
  run.flags = row.number(1);
  run.queue = row.number(3);
  run.attempt_line = row.as<Seq>(7);
  run.row.seq = seq;
  run.row.uid = row.as<Uid>(0);
  run.row.priority = read_priority(row, 4);
  run.row.session = row.as<SessionId>(8);
  run.row.run = {.state = row.one_of(2, RunState::expired),
                 .attempt = row.count(5),
                 .attempt_state = row.one_of_if(6, AttemptState::released),
                 .stop = row.one_of(9, Stop::terminate),
                 .may_retry = !has(run.flags, run_flag::last_try),
                 .released_count = released_count(run.flags),
                 .lost_count = rows::lost_count(run.flags),
                 .is_parked = has(run.flags, run_flag::parked),
                 .queued_at = row.instant(10),
                 .claimable_from = row.instant(11),
                 .expires_at = row.instant_if(12),
                 .started_at = row.instant_if(13),
                 .ended_at = row.instant_if(14)};
  TRY(row.check());
  return found;
}

Result<std::optional<StoredRun>> RunRows::find_running(Seq seq) {
  Cursor row = find_running_.query(seq);
  if (!TRY(row.next())) return std::nullopt;
  Result<std::optional<StoredRun>> found{std::in_place, std::in_place};
  StoredRun& run = **found;
  run.row.seq = seq;
  run.row.uid = row.as<Uid>(0);
  run.flags = row.number(1);
  run.queue = row.number(2);
  run.row.priority = read_priority(row, 3);
  run.attempt_line = row.as<Seq>(6);
  run.row.session = row.as<SessionId>(7);
  Run& state = run.row.run;
  state.state = RunState::running;
  state.attempt = row.count(4);
  state.attempt_state = row.one_of_if(5, AttemptState::released);
  state.stop = row.one_of(8, Stop::terminate);
  state.may_retry = !has(run.flags, run_flag::last_try);
  state.released_count = released_count(run.flags);
  state.lost_count = rows::lost_count(run.flags);
  TRY(row.check());
  return found;
}

Result<std::vector<StoredRun>> RunRows::held_by(SessionId session, std::size_t count_max) {
  std::vector<StoredRun> held;
  Cursor row = held_.query(session, std::min<std::size_t>(count_max, std::numeric_limits<std::int64_t>::max()));
  while (TRY(row.next())) TRY(read_run(row, held.emplace_back()));
  return held;
}

Result<> RunRows::save_run(const StoredRun& run) {
  const Run& state = run.row.run;
  return save_run_.run(run.row.seq, run.flags, state.state, state.attempt, state.attempt_state, run.attempt_line,
                       run.row.session, state.stop, state.queued_at, state.claimable_from, state.expires_at,
                       state.started_at, state.ended_at);
}

Result<> RunRows::save_decision(const StoredRun& run) {
  const QueuedRun& row = run.row;
  return save_decision_.run(row.seq, run.at, run.server, run.revision, run.version, run.outcome, run.reason,
                            run.waited_from, run.flags, row.revision, run.queue, row.priority, row.last_success,
                            row.repeat_number, row.last_failure);
}

Result<bool> RunRows::is_open(Uid uid, Seq seq) {
  Cursor row = is_open_.query(seq, uid);
  return row.next();
}

Result<> RunRows::add_job_name(const std::string& name, Seq seq) {
  TRY(add_job_name_.run(name, seq));
  if (connection_.change_count() == 0) return fail(ErrorCode::conflict, "a job named {} already exists", name);
  return {};
}

Result<> RunRows::set_result(Seq seq, const std::string& result) { return set_result_.run(seq, result); }

Result<std::optional<std::string>> RunRows::result(Seq seq) {
  Cursor row = result_.query(seq);
  if (!TRY(row.next())) return std::nullopt;
  return row.free_text(0);
}

Result<std::optional<PastFailure>> RunRows::failure(Seq seq) {
  Cursor row = failure_.query(seq);
  if (!TRY(row.next())) return std::nullopt;
  PastFailure failure{.state = row.one_of(0, AttemptState::released), .ended_at = row.instant_if(1)};
  if (!row.is_null(2)) failure.exit_code = row.number(2);
  if (!row.is_null(3)) failure.error = row.free_text(3);
  TRY(row.check());
  return failure;
}

}  // namespace carillon::sqlite
