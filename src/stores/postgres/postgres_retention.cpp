#include "definitions/words.hpp"
#include "stored_rows/state_bytes.hpp"
#include "stores/postgres/schedule_views.hpp"
#include "stores/postgres/store_calls.hpp"

#include <algorithm>
#include <string>

namespace carillon {
namespace {

using postgres::Parameters;
using postgres::ResultRows;
using postgres::Row;
using postgres::Transaction;
using postgres::WriteSet;

// Whether nothing depends on a decision g of a schedule with the state s, whose details are forgotten up to f.
#define CARILLON_PG_MAY_GO                                                                                     \
  "(g.outcome = 2 OR (g.outcome = 1 AND g.state >= 4 AND (g.uid = 0 OR s.flags & 2 <> 0 OR g.seq <= f.seq))) " \
  "AND (g.uid = 0 OR s.flags & 2 <> 0 OR (s.last_seq <> g.seq AND NOT g.seq = ANY(s.live))) "
#define CARILLON_PG_DECISIONS "FROM ledger g LEFT JOIN state s ON s.uid = g.uid LEFT JOIN forgotten f ON f.uid = g.uid "

/// The state of a run that has ended, from its number.
std::optional<RunState> ended_run_state(std::int64_t number) {
  if (number < static_cast<int>(RunState::succeeded) || number > static_cast<int>(RunState::expired))
    return std::nullopt;
  return static_cast<RunState>(number);
}

Result<Seq> last_success_of(Transaction& transaction, Uid uid) {
  const auto found = TRY(transaction.query("SELECT body FROM state WHERE uid = $1", Parameters{uid}));
  ScheduleState state;
  if (!found.empty()) TRY(rows::read_body(found[0].bytes(0), state));
  return state.last_success;
}

/// The results of those runs that the next runs of their schedules are still to be given.
Result<std::vector<Seq>> results_still_needed(Transaction& transaction, std::span<const Seq> lines) {
  Parameters values;
  values.array(lines);
  const auto found = TRY(transaction.query(
      "SELECT g.seq, s.body FROM ledger g JOIN state s ON s.uid = g.uid JOIN result r ON r.seq = g.seq WHERE g.seq = "
      "ANY($1) AND s.flags & 2 = 0",
      values));
  std::vector<Seq> needed;
  for (const Row row : found) {
    ScheduleState state;
    TRY(rows::read_body(row.bytes(1), state));
    if (state.last_success == row.as<Seq>(0)) needed.push_back(state.last_success);
  }
  return needed;
}

}  // namespace

Result<std::vector<RetentionCandidate>> PostgresStore::read_lines(Seq after, std::size_t count_max) {
  using Lines = std::vector<RetentionCandidate>;
  return read<Lines>([&](Transaction& transaction) -> Result<Lines> {
    const Parameters values{after, postgres::row_limit(count_max)};
    transaction.send(
        "SELECT g.seq, g.uid, greatest(g.at, coalesce(g.ended_at, g.at)), g.outcome = 1, coalesce(" CARILLON_PG_MAY_GO
        ", false), CASE WHEN g.outcome = 1 THEN g.state ELSE 0 END " CARILLON_PG_DECISIONS
        "WHERE g.seq > $1 ORDER BY g.seq LIMIT $2",
        values);
    // An attempt goes when its run has gone.
    transaction.send(
        "SELECT a.seq, a.uid, a.at, false, g.seq IS NULL, 0 FROM attempt a LEFT JOIN ledger g ON g.seq = a.run_seq "
        "WHERE a.seq > $1 ORDER BY a.seq LIMIT $2",
        values);
    transaction.send("SELECT seq, uid, at, false, true, 0 FROM skipped_range WHERE seq > $1 ORDER BY seq LIMIT $2",
                     values);
    transaction.send("SELECT seq, uid, at, false, true, 0 FROM voided_range WHERE seq > $1 ORDER BY seq LIMIT $2",
                     values);
    Lines lines;
    for (const ResultRows& rows : TRY(transaction.collect()))
      for (const Row row : rows)
        lines.push_back({.seq = row.as<Seq>(0),
                         .uid = row.as<Uid>(1),
                         .at = row.instant(2),
                         .has_run = row.flag(3),
                         .ended = ended_run_state(row.number(5)),
                         .may_go = row.flag(4)});
    std::ranges::sort(lines, {}, &RetentionCandidate::seq);
    if (lines.size() > count_max) lines.resize(count_max);
    return lines;
  });
}

Result<PrunableRuns> PostgresStore::read_prunable_runs(Uid uid, std::int64_t keep) {
  return read<PrunableRuns>([&](Transaction& transaction) -> Result<PrunableRuns> {
    PrunableRuns beyond;
    const auto found = TRY(transaction.query(
        "SELECT seq, state FROM ledger WHERE uid = $1 AND outcome = 1 AND seq > coalesce((SELECT seq FROM forgotten "
        "WHERE uid = $1), 0) AND EXISTS (SELECT FROM state WHERE uid = $1) ORDER BY seq DESC OFFSET $2",
        Parameters{uid, keep}));
    for (const Row row : found) {
      const Seq seq = row.as<Seq>(0);
      beyond.newest = std::max(beyond.newest, seq);
      if (is_terminal(row.one_of(1, RunState::expired))) beyond.runs.push_back(seq);
    }
    return beyond;
  });
}

Result<> PostgresStore::forget_details(Uid uid, const PrunableRuns& beyond) {
  return write_void([&](Transaction& transaction, WriteSet&) -> Result<> {
    const Seq last_success = TRY(last_success_of(transaction, uid));
    Parameters values;
    values.array(beyond.runs);
    values.add(last_success);
    transaction.send("DELETE FROM result WHERE seq = ANY($1) AND seq <> $2", values);
    if (beyond.newest != Seq{})
      transaction.send(
          "INSERT INTO forgotten VALUES ($1, $2) ON CONFLICT (uid) DO UPDATE SET seq = greatest(forgotten.seq, "
          "excluded.seq)",
          Parameters{uid, beyond.newest});
    TRY(transaction.commit());
    return {};
  });
}

Result<> PostgresStore::forget_lines(std::span<const Seq> lines) {
  if (lines.empty()) return {};
  return write_void([&](Transaction& transaction, WriteSet&) -> Result<> {
    const auto needed = TRY(results_still_needed(transaction, lines));
    Parameters values;
    values.array(lines);
    Parameters with_needed;
    with_needed.array(lines);
    with_needed.array(needed);
    transaction.send("WITH old AS (DELETE FROM ledger d USING (SELECT g.seq " CARILLON_PG_DECISIONS
                     "WHERE g.seq = ANY($1) AND g.seq <> ALL($2) AND " CARILLON_PG_MAY_GO
                     ") o WHERE d.seq = o.seq RETURNING d.seq) DELETE FROM result r USING old WHERE r.seq = old.seq",
                     with_needed);
    transaction.send(
        "DELETE FROM attempt a WHERE a.seq = ANY($1) AND NOT EXISTS (SELECT FROM ledger g WHERE g.seq = a.run_seq)",
        values);
    transaction.send("DELETE FROM skipped_range WHERE seq = ANY($1)", values);
    transaction.send("DELETE FROM voided_range WHERE seq = ANY($1)", values);
    TRY(transaction.commit());
    return {};
  });
}

Result<std::vector<DeletedSchedule>> PostgresStore::read_deleted(Uid after, std::size_t count_max) {
  using Schedules = std::vector<DeletedSchedule>;
  return read<Schedules>([&](Transaction& transaction) -> Result<Schedules> {
    const auto found =
        TRY(transaction.query("SELECT uid, body FROM state WHERE uid > $1 AND flags & 2 <> 0 ORDER BY uid LIMIT $2",
                              Parameters{after, postgres::row_limit(count_max)}));
    Schedules schedules;
    for (const Row row : found) {
      ScheduleState state;
      TRY(while_doing(rows::read_body(row.bytes(1), state), "reading deleted schedule {}", row.number(0)));
      if (state.deleted_at) schedules.push_back({.uid = row.as<Uid>(0), .deleted_at = *state.deleted_at});
    }
    return schedules;
  });
}

Result<> PostgresStore::forget_schedule(Uid uid) {
  return write_void([&](Transaction& transaction, WriteSet& set) -> Result<> {
    transaction.send("SELECT FROM state WHERE uid = $1 FOR UPDATE", Parameters{uid});
    TRY(begin(transaction, set));
    const auto may_go = TRY(transaction.query(
        "SELECT FROM state s WHERE s.uid = $1 AND s.flags & 2 <> 0 AND NOT EXISTS (SELECT FROM ledger g WHERE g.seq = "
        "s.last_seq OR g.seq = ANY(s.live))",
        Parameters{uid}));
    if (may_go.empty()) return {};
    // Answers to requests about it are kept for a day, and may show all of it.
    transaction.send("DELETE FROM idempotency WHERE at < $1", Parameters{set.now - std::chrono::days{1}});
    for (const char* table : {"definition", "change", "skipped_range", "voided_range", "backfill", "quarantine",
                              "forgotten", "log_trimmed", "schedule", "state"})
      transaction.send(std::string{"DELETE FROM "} + table + " WHERE uid = $1", Parameters{uid});
    TRY(transaction.commit());
    return {};
  });
}

}  // namespace carillon
