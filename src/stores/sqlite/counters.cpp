#include "stores/sqlite/counters.hpp"

namespace carillon::sqlite {

Counters::Counters(Connection& connection)
    : connection_{connection},
      load_{connection, "SELECT seq, uid, session FROM meta"},
      save_{connection, "UPDATE meta SET seq = ?1, uid = ?2, session = ?3"} {}

Result<> Counters::load() {
  Cursor row = load_.query();
  if (!TRY(row.next())) return fail(ErrorCode::corrupt, "{}: the row of meta is missing", connection_.file().string());
  stored_ = now_ = {.seq = row.number(0), .uid = row.number(1), .session = row.number(2)};
  return {};
}

Result<> Counters::save() {
  if (now_ == stored_) return {};
  return save_.run(now_.seq, now_.uid, now_.session);
}

}  // namespace carillon::sqlite
