#include "stores/sqlite/counters.hpp"

namespace carillon::sqlite {

Counters::Counters(Connection& connection)
    : connection_{connection},
      load_{connection, "SELECT seq, uid, session, feed, newest_write, clock_offset FROM meta"},
      save_{connection,
            "UPDATE meta SET seq = ?1, uid = ?2, session = ?3, feed = ?4, newest_write = ?5, clock_offset = ?6"} {}

Result<> Counters::load() {
  Cursor row = load_.query();
  if (!TRY(row.next()))
    return fail(ErrorCode::corrupt, "{}: the row of table meta is missing", connection_.file().string());
  stored_ = now_ = {.seq = row.count(0),
                    .uid = row.count(1),
                    .session = row.count(2),
                    .feed = row.count(3),
                    .newest_write = row.instant(4)};
  if (!row.is_null(5)) stored_.clock_offset = now_.clock_offset = row.instant(5).time_since_epoch();
  change_count_ = connection_.total_change_count();
  return {};
}

Result<> Counters::save() {
  // Who only looks does not make the disk work.
  const bool has_written = connection_.total_change_count() != change_count_;
  now_.newest_write = has_written ? now_.newest_write : stored_.newest_write;
  if (now_ == stored_) return {};
  return save_.run(now_.seq, now_.uid, now_.session, now_.feed, now_.newest_write, now_.clock_offset);
}

}  // namespace carillon::sqlite
