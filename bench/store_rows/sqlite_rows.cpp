#include "sqlite_rows.hpp"

#include "sqlite_statements.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace carillon::store_rows {
namespace {

constexpr std::int64_t lease = 30 * second;
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

/// A prepared statement. `run` binds and steps to the end; `first` binds and stops at the first row.
class Statement {
 public:
  Statement(sqlite3* db, const char* sql) : db_(db) {
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) != SQLITE_OK) fail(sql);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  template <typename... Values>
  int run(const Values&... values) {
    for (bool has = first(values...); has;) has = next();
    sqlite3_reset(statement_);
    return sqlite3_changes(db_);
  }

  template <typename... Values>
  bool first(const Values&... values) {
    sqlite3_reset(statement_);
    int place = 0;
    (bind(++place, values), ...);
    return next();
  }

  bool next() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail(sqlite3_sql(statement_));
    return false;
  }

  void done() { sqlite3_reset(statement_); }

  [[nodiscard]] bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  [[nodiscard]] std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  [[nodiscard]] std::string bytes(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  void bind(int place, std::int64_t value) { sqlite3_bind_int64(statement_, place, value); }
  void bind(int place, const std::string& value) {
    sqlite3_bind_blob(statement_, place, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  }
  void bind(int place, const std::optional<std::int64_t>& value) {
    if (value) {
      bind(place, *value);
    } else {
      sqlite3_bind_null(statement_, place);
    }
  }
  [[noreturn]] void fail(const char* sql) { die(fmt::format("{}: {}", sqlite3_errmsg(db_), sql)); }

  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
};

struct Connection {
  explicit Connection(const std::string& path) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path.c_str(), &handle, flags, nullptr) != SQLITE_OK) die("cannot open " + path);
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-32768; PRAGMA wal_autocheckpoint=16000");
    run(sqlite::schema);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close(handle); }

  void run(const char* sql) {
    char* message = nullptr;
    if (sqlite3_exec(handle, sql, nullptr, nullptr, &message) != SQLITE_OK) die(fmt::format("{}: {}", message, sql));
  }

  sqlite3* handle = nullptr;
};

}  // namespace

struct SqliteRows::Statements {
  Statements(const std::string& path, Live live)
      : connection(path),
        read_due(db, live >= Live::until_counted ? sqlite::live_rows::read_due : sqlite::read_due),
        finish_fence(db, live >= Live::until_counted ? sqlite::live_rows::finish_fence : sqlite::finish_fence) {}

  Connection connection;
  sqlite3* db = connection.handle;
  Statement begin{db, "BEGIN IMMEDIATE"};
  Statement commit{db, "COMMIT"};
  Statement read_due;
  Statement fence{db, sqlite::fence};
  Statement listen{db, sqlite::listen};
  Statement write_state{db, sqlite::write_state};
  Statement wake_remove{db, sqlite::wake_remove};
  Statement wake_add{db, sqlite::wake_add};
  Statement ledger_add{db, sqlite::ledger_add};
  Statement more_add{db, sqlite::more_add};
  Statement more_runs{db, sqlite::more_runs};
  Statement ready_first{db, sqlite::ready_first};
  Statement ready_add{db, sqlite::ready_add};
  Statement live_remove{db, sqlite::live_remove};
  Statement run_read{db, sqlite::run_read};
  Statement live_add{db, sqlite::live_rows::add};
  Statement live_set{db, sqlite::live_rows::set};
  Statement live_claim{db, sqlite::live_rows::claim};
  Statement ledger_set{db, sqlite::ledger_set};
  Statement ledger_stop{db, sqlite::ledger_stop};
  Statement stop_add{db, sqlite::stop_add};
  Statement ready_read{db, sqlite::ready_read};
  Statement ready_remove{db, sqlite::ready_remove};
  Statement ledger_claim{db, sqlite::ledger_claim};
  Statement finish_fence;
  Statement ledger_finish{db, sqlite::ledger_finish};
  Statement stop_remove{db, sqlite::stop_remove};
  Statement wake_of{db, sqlite::wake_of};
  Statement state_wake{db, sqlite::state_wake};
  Statement renew{db, sqlite::renew};
  Statement has_lease{db, sqlite::has_lease};
  Statement launched{db, sqlite::launched};
  Statement stops{db, sqlite::stops};
  Statement lost_sessions{db, sqlite::lost_sessions};
  Statement runs_of_session{db, sqlite::runs_of_session};
};

SqliteRows::SqliteRows(const std::string& path, Live live) : live_(live), to_(new Statements(path, live)) {
  if (live == Live::in_ledger) execute(sqlite::running_index);
}
SqliteRows::~SqliteRows() = default;

void SqliteRows::populate(std::span<const NewSchedule> schedules) {
  Statement definition(to_->db, "INSERT INTO definition VALUES (?1, 1, ?2)");
  Statement state(to_->db, "INSERT INTO state VALUES (?1, 1, 1, ?2, 0, 0, ?3, NULL, NULL, 0, ?4)");
  const std::string document(300, 'x');
  to_->begin.run();
  for (const NewSchedule& schedule : schedules) {
    definition.run(schedule.uid, document);
    state.run(schedule.uid, schedule.wake_at, schedule.wake_at - period, state_body(schedule.uid));
  }
  to_->connection.run("INSERT INTO wake SELECT wake_at, uid FROM state ORDER BY wake_at");
  to_->commit.run();
  to_->connection.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

std::vector<DueState> SqliteRows::read_due(std::int64_t count_max) {
  std::vector<DueState> due;
  due.reserve(static_cast<std::size_t>(count_max));
  Statement& row = to_->read_due;
  for (bool has = row.first(wall_now(), count_max); has; has = row.next()) {
    if (due.empty() || due.back().uid != row.number(0)) {
      due.push_back({.uid = row.number(0),
                     .version = row.number(1),
                     .revision = row.number(2),
                     .wake_at = row.number(3),
                     .cursor = row.number(4),
                     .more = row.number(5),
                     .body = row.bytes(6),
                     .live = {}});
    }
    if (!row.is_null(7)) due.back().live.push_back({row.number(7), row.number(8), row.number(9)});
  }
  row.done();
  for (DueState& state : due) {
    if (state.more > 0) add_more_runs(state);
  }
  return due;
}

void SqliteRows::add_more_runs(DueState& state) {
  Statement& row = to_->more_runs;
  for (bool has = row.first(state.uid); has; has = row.next()) {
    state.live.push_back({row.number(0), row.number(1), row.number(2)});
  }
  row.done();
}

CommitOutcome SqliteRows::commit(std::span<const Transition> transitions, ClaimFor claim_for) {
  CommitOutcome outcome;
  const std::int64_t now = wall_now();
  to_->begin.run();
  if (claim_for.slots > 0 && !has_lease(claim_for.session, now)) claim_for.slots = 0;
  for (const Transition& item : transitions) {
    ++(commit_one(item, now, claim_for, outcome) ? outcome.written_count : outcome.refused_count);
  }
  to_->commit.run();
  return outcome;
}

bool SqliteRows::commit_one(const Transition& item, std::int64_t now, ClaimFor& claim_for, CommitOutcome& outcome) {
  Statement& before = to_->fence;
  if (!before.first(item.uid, item.version)) return before.done(), false;
  const std::int64_t wake_before = before.is_null(0) ? none : before.number(0);
  std::int64_t last_seq = before.number(1);
  std::int64_t run_seq = before.number(2);
  std::int64_t more = before.number(3);
  before.done();

  // A run that ended after the schedule was read has woken nobody: its finish saw no listener.
  std::int64_t wake_at = item.wake_at.value_or(none);
  for (const std::int64_t seq : item.waits_on) {
    if (to_->listen.run(item.uid, seq) == 0) wake_at = std::min(wake_at, now);
  }
  for (const std::int64_t seq : item.counted) {
    if (seq == run_seq) {
      run_seq = 0;
    } else if (live_ != Live::until_ended) {
      more -= to_->live_remove.run(item.uid, seq);
    }
  }
  for (const std::int64_t seq : item.release) release(item.uid, seq, now);
  for (const std::int64_t seq : item.cancel) cancel(item.uid, seq, now);
  for (const LedgerRow& row : item.rows) {
    last_seq = add_run(item, row, last_seq, now, claim_for, outcome);
    if (has_live_rows() || row.state > running) continue;
    if (run_seq == 0) {
      run_seq = last_seq;
    } else {
      more += to_->more_add.run(item.uid, last_seq);
    }
  }
  if (has_live_rows()) more = 0;
  const auto nullable = [](std::int64_t at) { return at == none ? std::nullopt : std::optional{at}; };
  to_->write_state.run(item.uid, item.revision, nullable(wake_at), now, item.cursor, last_seq, run_seq, more,
                       item.body);
  if (wake_before != wake_at) {
    if (wake_before != none) to_->wake_remove.run(wake_before, item.uid);
    if (wake_at != none) to_->wake_add.run(wake_at, item.uid);
  }
  return true;
}

std::int64_t SqliteRows::add_run(const Transition& item, const LedgerRow& row, std::int64_t previous, std::int64_t now,
                                 ClaimFor& claim_for, CommitOutcome& outcome) {
  const std::int64_t seq = ++seq_;
  bool is_claimed = false;
  if (row.state == queued && claim_for.slots > 0) {
    is_claimed = !to_->ready_first.first(row.queue, row.rank, now);
    to_->ready_first.done();
  }
  const std::int64_t state = is_claimed ? running : row.state;
  const std::int64_t attempt = is_claimed ? 1 : 0;
  const std::int64_t session = is_claimed ? claim_for.session : 0;
  to_->ledger_add.run(seq, item.uid, row.nominal, row.due, row.source, row.outcome, row.reason, item.revision, state,
                      attempt, std::int64_t{0}, session, std::int64_t{row.is_listened}, row.queue, row.rank, now,
                      is_claimed ? now : 0, previous);
  if (has_live_rows() && state <= running) {
    to_->live_add.run(item.uid, seq, state, attempt, session, std::int64_t{row.is_listened});
  }
  if (state == queued) to_->ready_add.run(row.queue, row.rank, seq, item.uid, now);
  if (is_claimed) {
    --claim_for.slots;
    outcome.claimed.push_back({item.uid, seq, 1});
  }
  return seq;
}

void SqliteRows::release(std::int64_t uid, std::int64_t seq, std::int64_t now) {
  Statement& run = to_->run_read;
  if (run.first(seq, uid) && run.number(0) == waiting) {
    to_->ledger_set.run(seq, std::int64_t{queued}, now, std::optional<std::int64_t>{});
    to_->ready_add.run(run.number(3), run.number(4), seq, uid, now);
  }
  run.done();
}

void SqliteRows::cancel(std::int64_t uid, std::int64_t seq, std::int64_t now) {
  Statement& run = to_->run_read;
  const bool is_there = run.first(seq, uid);
  if (is_there && run.number(0) == running) {
    to_->ledger_stop.run(seq);
    to_->stop_add.run(run.number(2), seq, uid, run.number(1));
  } else if (is_there && run.number(0) < running) {
    to_->ready_remove.run(run.number(3), run.number(4), seq);
    to_->ledger_set.run(seq, std::int64_t{cancelled}, std::optional<std::int64_t>{}, now);
  }
  run.done();
}

bool SqliteRows::has_lease(std::int64_t session, std::int64_t now) {
  const bool has = to_->has_lease.first(session, now);
  to_->has_lease.done();
  return has;
}

std::vector<ClaimResult> SqliteRows::claim(std::int64_t session, std::int64_t queue, std::int64_t count_max) {
  struct Picked {
    std::int64_t rank;
    ClaimResult run;
  };
  std::vector<Picked> picked;
  const std::int64_t now = wall_now();
  to_->begin.run();
  if (!has_lease(session, now)) return to_->commit.run(), std::vector<ClaimResult>{};
  Statement& row = to_->ready_read;
  for (bool has = row.first(queue, now, count_max); has; has = row.next()) {
    picked.push_back({row.number(0), {row.number(2), row.number(1), 1}});
  }
  row.done();
  std::vector<ClaimResult> claimed;
  claimed.reserve(picked.size());
  for (const auto& [rank, run] : picked) {
    to_->ready_remove.run(queue, rank, run.seq);
    if (has_live_rows()) to_->live_claim.run(run.uid, run.seq, session);
    to_->ledger_claim.run(run.seq, session, now);
    claimed.push_back(run);
  }
  to_->commit.run();
  return claimed;
}

std::int64_t SqliteRows::finish(std::int64_t session, std::span<const Finish> items) {
  const std::int64_t now = wall_now();
  std::int64_t written_count = 0;
  to_->begin.run();
  for (const Finish& item : items) {
    const auto [uid, seq, attempt] = item.run;
    const bool is_ours = to_->finish_fence.first(uid, seq, attempt, session, item.stop);
    const bool is_listened = is_ours && to_->finish_fence.number(0) != 0;
    const std::int64_t queue = to_->finish_fence.number(1);
    to_->finish_fence.done();
    if (!is_ours) continue;
    if (live_ == Live::until_counted) to_->live_set.run(uid, seq, item.state);
    if (live_ == Live::until_ended) to_->live_remove.run(uid, seq);
    to_->ledger_finish.run(seq, item.state, now, item.exit, item.claimable_from, item.claimable_from);
    if (item.stop != 0) to_->stop_remove.run(session, seq);
    // A retry is ranked by when it may be claimed, so that rows that may not yet be claimed lie behind those that may.
    if (item.state == retrying) {
      to_->ready_add.run(queue, item.claimable_from, seq, uid, item.claimable_from);
    } else if (is_listened) {
      wake_now(uid, now);
    }
    ++written_count;
  }
  to_->commit.run();
  return written_count;
}

void SqliteRows::wake_now(std::int64_t uid, std::int64_t now) {
  if (!to_->wake_of.first(uid)) return to_->wake_of.done();
  const std::optional<std::int64_t> before =
      to_->wake_of.is_null(0) ? std::nullopt : std::optional{to_->wake_of.number(0)};
  to_->wake_of.done();
  if (before && *before <= now) return;
  if (before) to_->wake_remove.run(*before, uid);
  to_->wake_add.run(now, uid);
  to_->state_wake.run(uid, now);
}

std::vector<ClaimResult> SqliteRows::heartbeat(std::int64_t session, std::span<const ClaimResult> launched) {
  const std::int64_t now = wall_now();
  std::vector<ClaimResult> to_stop;
  to_->begin.run();
  if (to_->renew.run(session, now + lease, now) == 1) {
    for (const ClaimResult& run : launched) to_->launched.run(run.seq, run.attempt, session, now);
    for (bool has = to_->stops.first(session); has; has = to_->stops.next()) {
      to_stop.push_back({to_->stops.number(0), to_->stops.number(1), to_->stops.number(2)});
    }
    to_->stops.done();
  }
  to_->commit.run();
  return to_stop;
}

std::vector<std::pair<std::int64_t, Finish>> SqliteRows::lost_runs() {
  std::vector<std::int64_t> sessions;
  for (bool has = to_->lost_sessions.first(wall_now()); has; has = to_->lost_sessions.next()) {
    sessions.push_back(to_->lost_sessions.number(0));
  }
  to_->lost_sessions.done();
  std::vector<std::pair<std::int64_t, Finish>> runs;
  Statement& row = to_->runs_of_session;
  for (const std::int64_t session : sessions) {
    for (bool has = row.first(session); has; has = row.next()) {
      const ClaimResult run{row.number(0), row.number(1), row.number(2)};
      runs.emplace_back(session, Finish{.run = run, .stop = row.number(3), .state = lost});
    }
    row.done();
  }
  return runs;
}

void SqliteRows::add_worker(std::int64_t session, std::int64_t lease_until) {
  Statement(to_->db, "INSERT OR REPLACE INTO worker VALUES (?1, ?2)").run(session, lease_until);
}

void SqliteRows::execute(const std::string& sql) { to_->connection.run(sql.c_str()); }

std::int64_t SqliteRows::number(const std::string& query) {
  Statement statement(to_->db, query.c_str());
  return statement.first() ? statement.number(0) : -1;
}

std::int64_t SqliteRows::wake_of(std::int64_t uid) {
  return number(fmt::format("SELECT at FROM wake WHERE uid = {}", uid));
}

std::vector<LiveRow> SqliteRows::runs_of(std::int64_t uid) {
  DueState state{.uid = uid};
  add_more_runs(state);
  Statement first(to_->db, "SELECT seq, g.state, attempt FROM state s JOIN ledger g ON seq = run_seq WHERE s.uid = ?1");
  if (first.first(uid)) state.live.insert(state.live.begin(), {first.number(0), first.number(1), first.number(2)});
  return state.live;
}

std::int64_t SqliteRows::page_writes() const {
  int current = 0;
  int highest = 0;
  sqlite3_db_status(to_->db, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0);
  return current;
}

}  // namespace carillon::store_rows
