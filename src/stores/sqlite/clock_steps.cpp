#include "stores/sqlite/clock_steps.hpp"

#include "base/clock_step.hpp"
#include "stores/sqlite/tables.hpp"

namespace carillon::sqlite {

TimedRows::TimedRows(Connection& connection)
    : move_sessions_{connection, "UPDATE session SET lease_until = lease_until + ?1 WHERE phase = 0"},
      move_runs_{connection,
                 "UPDATE ledger SET claimable_from = claimable_from + ?1, expires_at = expires_at + ?1 "
                 "WHERE seq IN (SELECT seq FROM ready UNION ALL SELECT seq FROM later)"},
      move_ready_{connection,
                  "UPDATE ready SET rank = rank + ?1, claimable_from = claimable_from + ?1, "
                  "expires_at = expires_at + ?1"},
      move_later_{connection,
                  "UPDATE later SET rank = rank + ?1, claimable_from = claimable_from + ?1, "
                  "expires_at = expires_at + ?1"},
      offset_{connection, "SELECT clock_offset FROM meta"} {}

Result<> TimedRows::move_by(Duration step) {
  TRY(move_sessions_.run(step));
  TRY(move_runs_.run(step));
  TRY(move_ready_.run(step));
  return move_later_.run(step);
}

Result<std::optional<Duration>> TimedRows::clock_offset() {
  Cursor row = offset_.query();
  if (!TRY(row.next()) || row.is_null(0)) return std::nullopt;
  return row.instant(0).time_since_epoch();
}

Result<> follow_clock(Tables& tables, Duration offset) {
  const auto before = tables.counters.clock_offset();
  const Duration step = clock_step(before, offset);
  if (before && step == Duration{0}) return {};
  tables.counters.set_clock_offset(offset);
  if (step == Duration{0}) return {};
  TRY(tables.locks.move_by(step));
  return tables.timed.move_by(step);
}

Result<Instant> time_of_rows(Tables& tables, Instant now, Duration offset) {
  return now - clock_step(TRY(tables.timed.clock_offset()), offset);
}

}  // namespace carillon::sqlite
