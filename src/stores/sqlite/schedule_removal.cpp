#include "stores/sqlite/schedule_removal.hpp"

#include "engine/schedule_state.hpp"
#include "stores/sqlite/shared_rows.hpp"

namespace carillon::sqlite {

ScheduleRemoval::ScheduleRemoval(Connection& connection)
    : connection_{connection},
      deleted_{connection, "SELECT uid, body FROM state WHERE uid > ?1 AND flags & 2 <> 0 ORDER BY uid LIMIT ?2"},
      may_go_{connection,
              "SELECT 1 FROM state s WHERE s.uid = ?1 AND s.flags & 2 <> 0 "
              "AND NOT EXISTS (SELECT 1 FROM ledger g WHERE g.seq IN (s.last_seq, s.run_seq)) "
              "AND NOT EXISTS (SELECT 1 FROM live l CROSS JOIN ledger g ON g.seq = l.seq WHERE l.uid = s.uid)"},
      drops_{Statement{connection, "DELETE FROM definition WHERE place BETWEEN ?1 << 27 AND (?1 + 1 << 27) - 1"},
             Statement{connection, "DELETE FROM change WHERE uid = ?1"},
             Statement{connection, "DELETE FROM skipped_range WHERE uid = ?1"},
             Statement{connection, "DELETE FROM voided_range WHERE uid = ?1"},
             Statement{connection, "DELETE FROM backfill WHERE uid = ?1"},
             Statement{connection, "DELETE FROM past WHERE uid = ?1"},
             Statement{connection, "DELETE FROM live WHERE uid = ?1"},
             Statement{connection, "DELETE FROM quarantine WHERE uid = ?1"},
             Statement{connection, "DELETE FROM forgotten WHERE uid = ?1"},
             Statement{connection, "DELETE FROM schedule WHERE uid = ?1"},
             Statement{connection, "DELETE FROM state WHERE uid = ?1"}} {
  static_assert(state_flag::deleted == 2);
}

Result<std::vector<DeletedSchedule>> ScheduleRemoval::read_deleted(Uid after, std::size_t count_max) {
  std::vector<DeletedSchedule> schedules;
  Cursor row = deleted_.query(after, limit_of(count_max));
  while (TRY(row.next())) {
    ScheduleState state;
    TRY(while_doing(read_body(row.bytes(1), state), "reading deleted schedule {} of {}", row.number(0),
                    connection_.file().string()));
    if (state.deleted_at) schedules.push_back({.uid = row.as<Uid>(0), .deleted_at = *state.deleted_at});
  }
  return schedules;
}

Result<bool> ScheduleRemoval::may_go(Uid uid) {
  Cursor row = may_go_.query(uid);
  return row.next();
}

Result<> ScheduleRemoval::remove(Uid uid) {
  if (!TRY(may_go(uid))) return {};
  for (Statement& drop : drops_) TRY(drop.run(uid));
  return {};
}

}  // namespace carillon::sqlite
