#include "postgres_rows.hpp"

#include "postgres_statements.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

namespace carillon::store_rows {
namespace {

constexpr std::int64_t lease = 30 * second;
constexpr std::int64_t block_size = 10'000;

// Plans must not turn to reading whole tables when a batch looks large beside a table that was small when last
// analysed.
constexpr const char* plan_settings =
    "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET "
    "jit = off;"
    "SET plan_cache_mode = force_generic_plan; SET client_min_messages = warning";

std::string commit_statement(Layout layout) {
  if (layout == Layout::live_rows) return postgres::live_rows::commit;
  const bool is_column = layout == Layout::wake_column;
  return std::string(postgres::commit_begin) +
         (is_column ? postgres::commit_fence_column : postgres::commit_fence_table) + postgres::commit_end;
}

std::string finish_statement(Layout layout) {
  if (layout == Layout::live_rows) return postgres::live_rows::finish;
  const bool is_column = layout == Layout::wake_column;
  return std::string(postgres::finish_begin) + (is_column ? postgres::finish_wake_column : postgres::finish_wake_table);
}

std::string read_statement(Layout layout, Share::Kind share) {
  if (layout == Layout::live_rows) return postgres::live_rows::read_due;
  const char* due = share == Share::Kind::mixed ? postgres::read_due_mixed : postgres::read_due_own_first;
  if (layout == Layout::wake_table) due = postgres::read_due_wake_table;
  return std::string(due) + postgres::read_due_runs;
}

/// The columns of a batch of transitions.
struct CommitColumns {
  std::vector<std::int64_t> uid, version, revision, cursor, more;
  std::vector<std::optional<std::int64_t>> wake_at, last_seq, first_run;
  std::vector<std::string> body;
  std::vector<std::int64_t> row_uid, seq, nominal, due, source, outcome, reason, state, queue, rank, listened;
  std::vector<std::int64_t> row_revision, prev_seq;
  std::vector<std::array<std::int64_t, 3>> named;  // seq, uid, flags

  void add(const Transition& item, std::int64_t& next_seq) {
    uid.push_back(item.uid);
    version.push_back(item.version);
    revision.push_back(item.revision);
    cursor.push_back(item.cursor);
    wake_at.push_back(item.wake_at);
    body.push_back(item.body);
    std::optional<std::int64_t> first;
    std::optional<std::int64_t> last;
    std::int64_t run_count = item.kept_count;
    for (const LedgerRow& row : item.rows) {
      row_revision.push_back(item.revision);
      prev_seq.push_back(last.value_or(item.last_seq));
      last = next_seq++;
      if (row.state <= running && run_count++ == item.kept_count) first = last;
      add_row(item.uid, *last, row);
    }
    last_seq.push_back(last);
    first_run.push_back(first);
    // Says whether `live` is worth a look, no more: which run the state names is settled by the statement.
    more.push_back(item.kept_count > 0 || run_count > 1 ? 1 : 0);
    add_named(item);
  }

  void add_row(std::int64_t of, std::int64_t number, const LedgerRow& row) {
    row_uid.push_back(of);
    seq.push_back(number);
    nominal.push_back(row.nominal);
    due.push_back(row.due);
    source.push_back(row.source);
    outcome.push_back(row.outcome);
    reason.push_back(row.reason);
    state.push_back(row.state);
    queue.push_back(row.queue);
    rank.push_back(row.rank);
    listened.push_back(row.is_listened ? 1 : 0);
  }

  void add_named(const Transition& item) {
    // One statement may change a row once, so that all commands about one run go into one entry.
    std::map<std::int64_t, std::int64_t> commands;
    const bool may_be_listed = item.counted.size() + static_cast<std::size_t>(item.kept_count) > 1;
    for (const std::int64_t run : item.counted) commands[run] = may_be_listed ? 1 | 16 : 1;
    for (const std::int64_t run : item.waits_on) commands[run] |= 2;
    for (const std::int64_t run : item.release) commands[run] |= 4;
    for (const std::int64_t run : item.cancel) commands[run] |= 8;
    for (const auto& [run, command] : commands) {
      named.push_back({run, item.uid, command});
    }
  }
};

std::vector<std::int64_t> ids_of(std::span<const ClaimResult> runs, std::int64_t ClaimResult::* member) {
  std::vector<std::int64_t> ids;
  for (const ClaimResult& run : runs) ids.push_back(run.*member);
  return ids;
}

}  // namespace

void create_rows(const std::string& where, Layout layout, std::span<const NewSchedule> schedules) {
  PostgresConnection connection(where);
  connection.execute("SET client_min_messages = warning");
  connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  connection.execute(postgres::schema);
  if (layout == Layout::live_rows) connection.execute(postgres::live_rows::schema);
  std::vector<std::int64_t> uid, wake_at;
  std::vector<std::string> body;
  for (const NewSchedule& schedule : schedules) {
    uid.push_back(schedule.uid);
    wake_at.push_back(schedule.wake_at);
    body.push_back(state_body(schedule.uid));
  }
  connection.prepare("fill", R"sql(
    INSERT INTO state(uid, version, revision, wake_at, cursor, body)
    SELECT uid, 1, 1, at, at - 60000000, body FROM unnest($1::int8[], $2::int8[], $3::bytea[]) AS t(uid, at, body))sql");
  (void)connection.call("fill", Parameters{}.numbers(uid).numbers(wake_at).byte_strings(body));
  connection.execute("INSERT INTO definition SELECT uid, 1, repeat('x', 300) FROM state");
  connection.execute(layout == Layout::wake_table ? postgres::wake_table : postgres::wake_column);
  if (layout == Layout::wake_table) {
    connection.execute("INSERT INTO wake SELECT uid, wake_at FROM state; UPDATE state SET wake_at = NULL");
  }
  connection.execute("VACUUM ANALYZE state");
  connection.execute("CHECKPOINT");
}

PostgresRows::PostgresRows(const std::string& where, Layout layout, Share share)
    : connection_(where), layout_(layout), share_(share) {
  connection_.execute(plan_settings);
  connection_.prepare("read_due", read_statement(layout, share.kind));
  connection_.prepare("commit", commit_statement(layout));
  connection_.prepare("lock_runs", postgres::lock_runs);
  connection_.prepare("finish", finish_statement(layout));
  connection_.prepare("claim", postgres::claim);
  connection_.prepare("heartbeat", postgres::heartbeat);
  connection_.prepare("lost_sessions", postgres::lost_sessions);
  connection_.prepare("runs_of_sessions", postgres::runs_of_sessions);
}

std::vector<DueState> PostgresRows::read_due(std::int64_t count_max) {
  // The mark would be the last wake-up taken; everything here is always due, so the scan starts where rows are.
  const std::int64_t mark = 0;
  const Answer rows = connection_.call(
      "read_due", Parameters{}.number(count_max).number(share_.server_count).number(share_.me).number(mark));
  std::vector<DueState> due;
  due.reserve(static_cast<std::size_t>(count_max));
  std::map<std::int64_t, std::size_t> place_of_more;
  for (int i = 0; i < rows.row_count(); ++i) {
    const std::int64_t uid = rows.number(i, 0);
    const auto known = place_of_more.find(uid);
    std::size_t place = known == place_of_more.end() ? due.size() : known->second;
    if (place == due.size()) {
      due.push_back({.uid = uid,
                     .version = rows.number(i, 1),
                     .revision = rows.number(i, 2),
                     .wake_at = rows.number(i, 3),
                     .cursor = rows.number(i, 4),
                     .last_seq = rows.is_null(i, 11) ? 0 : rows.number(i, 11),
                     .more = rows.number(i, 5),
                     .body = rows.bytes(i, 6)});
      if (due.back().more > 0) place_of_more.emplace(uid, place);
    }
    if (!rows.is_null(i, 7)) due[place].live.push_back({rows.number(i, 7), rows.number(i, 8), rows.number(i, 9)});
    seq_ = rows.number(i, 10);
    seq_end_ = seq_ + block_size;
  }
  return due;
}

void PostgresRows::send_commit(std::span<const Transition> transitions, ClaimFor claim_for) {
  std::size_t row_count = 0;
  std::vector<const Transition*> sorted;
  for (const Transition& item : transitions) {
    sorted.push_back(&item);
    row_count += item.rows.size();
  }
  std::ranges::sort(sorted, {}, &Transition::uid);
  if (seq_ + static_cast<std::int64_t>(row_count) > seq_end_) {
    seq_ = number("SELECT nextval('ledger_block')");
    seq_end_ = seq_ + block_size;
  }
  CommitColumns of;
  for (const Transition* item : sorted) of.add(*item, seq_);
  Parameters parameters;
  parameters.numbers(of.uid).numbers(of.version).numbers(of.revision).optional_numbers(of.wake_at).numbers(of.cursor);
  parameters.optional_numbers(of.last_seq).optional_numbers(of.first_run).numbers(of.more).byte_strings(of.body);
  for (const auto* column : {&of.row_uid, &of.seq, &of.nominal, &of.due, &of.source, &of.outcome, &of.reason, &of.state,
                             &of.queue, &of.rank, &of.listened}) {
    parameters.numbers(*column);
  }
  std::ranges::sort(of.named);
  std::vector<std::int64_t> to_lock;
  for (const auto& [seq, uid, command] : of.named) {
    if ((command & (2 | 4 | 8)) != 0) to_lock.push_back(seq);
  }
  if (!to_lock.empty()) connection_.send_ahead("lock_runs", Parameters{}.numbers(to_lock));
  for (const std::size_t part : {1, 0, 2}) {
    std::vector<std::int64_t> column;
    for (const auto& run : of.named) column.push_back(run[part]);
    parameters.numbers(column);
  }
  parameters.number(share_.me).number(claim_for.session).number(claim_for.slots);
  parameters.numbers(of.row_revision).numbers(of.prev_seq);
  connection_.send("commit", parameters);
}

CommitOutcome PostgresRows::commit(std::span<const Transition> transitions, ClaimFor claim_for) {
  send_commit(transitions, claim_for);
  const Answer rows = connection_.receive();
  CommitOutcome outcome;
  if (!rows.failure().empty()) {
    outcome.refused_count = static_cast<std::int64_t>(transitions.size());
    return outcome;
  }
  for (int i = 0; i < rows.row_count(); ++i) {
    if (rows.number(i, 1) == 0) {
      ++outcome.written_count;
    } else {
      outcome.claimed.push_back({rows.number(i, 0), rows.number(i, 1), 1});
    }
  }
  outcome.refused_count = static_cast<std::int64_t>(transitions.size()) - outcome.written_count;
  return outcome;
}

std::vector<ClaimResult> PostgresRows::claim(std::int64_t session, std::int64_t queue, std::int64_t count_max) {
  const Answer rows = connection_.call("claim", Parameters{}.number(session).numbers({queue}).number(count_max));
  std::vector<ClaimResult> claimed;
  for (int i = 0; i < rows.row_count(); ++i) {
    claimed.push_back({rows.number(i, 0), rows.number(i, 1), rows.number(i, 2)});
  }
  return claimed;
}

void PostgresRows::send_finish(std::int64_t session, std::span<const Finish> items) {
  std::vector<Finish> sorted(items.begin(), items.end());
  std::ranges::sort(sorted, {}, [](const Finish& item) { return item.run.seq; });
  std::vector<std::int64_t> uid, seq, attempt, stop, state, exit, claimable_from;
  for (const Finish& item : sorted) {
    uid.push_back(item.run.uid);
    seq.push_back(item.run.seq);
    attempt.push_back(item.run.attempt);
    stop.push_back(item.stop);
    state.push_back(item.state);
    exit.push_back(item.exit);
    claimable_from.push_back(item.claimable_from);
  }
  Parameters parameters;
  parameters.number(session);
  for (const auto* column : {&uid, &seq, &attempt, &stop, &state, &exit, &claimable_from}) parameters.numbers(*column);
  connection_.send("finish", parameters);
}

std::int64_t PostgresRows::finish(std::int64_t session, std::span<const Finish> items) {
  send_finish(session, items);
  const Answer rows = connection_.receive();
  if (rows.failure().empty()) return rows.row_count();
  return finish(session, items);
}

std::vector<ClaimResult> PostgresRows::heartbeat(std::int64_t session, std::span<const ClaimResult> launched) {
  Parameters parameters;
  parameters.number(session).number(lease);
  std::vector<ClaimResult> sorted(launched.begin(), launched.end());
  std::ranges::sort(sorted, {}, &ClaimResult::seq);
  parameters.numbers(ids_of(sorted, &ClaimResult::seq)).numbers(ids_of(sorted, &ClaimResult::attempt));
  const Answer rows = connection_.call("heartbeat", parameters);
  std::vector<ClaimResult> to_stop;
  for (int i = 0; i < rows.row_count(); ++i) {
    to_stop.push_back({rows.number(i, 0), rows.number(i, 1), rows.number(i, 2)});
  }
  return to_stop;
}

std::vector<std::pair<std::int64_t, Finish>> PostgresRows::lost_runs() {
  const Answer lost_rows = connection_.call("lost_sessions", {});
  std::vector<std::int64_t> sessions;
  for (int i = 0; i < lost_rows.row_count(); ++i) sessions.push_back(lost_rows.number(i, 0));
  const Answer rows = connection_.call("runs_of_sessions", Parameters{}.numbers(sessions));
  std::vector<std::pair<std::int64_t, Finish>> runs;
  for (int i = 0; i < rows.row_count(); ++i) {
    const ClaimResult run{rows.number(i, 1), rows.number(i, 2), rows.number(i, 3)};
    runs.emplace_back(rows.number(i, 0), Finish{.run = run, .stop = rows.number(i, 4), .state = lost});
  }
  return runs;
}

void PostgresRows::add_worker(std::int64_t session, std::int64_t lease_until) {
  execute(fmt::format("INSERT INTO worker VALUES ({0}, {1}) ON CONFLICT (session) DO UPDATE SET lease_until = {1}",
                      session, lease_until));
}

std::int64_t PostgresRows::number(const std::string& query) {
  connection_.prepare("", fmt::format("SELECT ({})::int8", query));
  const Answer rows = connection_.call("", {});
  return rows.row_count() == 0 || rows.is_null(0, 0) ? -1 : rows.number(0, 0);
}

std::int64_t PostgresRows::wake_of(std::int64_t uid) {
  const bool is_table = layout_ == Layout::wake_table;
  return number(
      fmt::format("SELECT {} FROM {} WHERE uid = {}", is_table ? "at" : "wake_at", is_table ? "wake" : "state", uid));
}

std::vector<LiveRow> PostgresRows::runs_of(std::int64_t uid) {
  connection_.prepare("", fmt::format(R"sql(
    SELECT seq, state::int8, attempt::int8 FROM ledger WHERE seq IN (SELECT run_seq FROM state WHERE uid = {0}
      UNION ALL SELECT seq FROM live WHERE uid = {0}) ORDER BY seq)sql",
                                      uid));
  const Answer rows = connection_.call("", {});
  std::vector<LiveRow> runs;
  for (int i = 0; i < rows.row_count(); ++i) {
    runs.push_back({rows.number(i, 0), rows.number(i, 1), rows.number(i, 2)});
  }
  return runs;
}

}  // namespace carillon::store_rows
