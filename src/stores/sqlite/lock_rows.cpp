#include "stores/sqlite/lock_rows.hpp"

namespace carillon::sqlite {

LockRows::LockRows(Connection& connection)
    : find_{connection, "SELECT token, owner, fence, acquired_at, until FROM lock WHERE name = ?1"},
      next_fence_{connection, "UPDATE lock_fence SET newest = newest + 1 RETURNING newest"},
      put_{connection, "INSERT OR REPLACE INTO lock VALUES (?1, ?2, ?3, ?4, ?5, ?6)"},
      set_until_{connection, "UPDATE lock SET until = ?2 WHERE name = ?1"},
      remove_{connection, "DELETE FROM lock WHERE name = ?1"},
      move_{connection, "UPDATE lock SET until = until + ?1, acquired_at = acquired_at + ?1"} {}

Result<std::optional<LockRows::Held>> LockRows::find(const std::string& name) {
  Cursor row = find_.query(name);
  if (!TRY(row.next())) return std::nullopt;
  Held held{.token = std::string{row.text(0)},
            .lock = {.owner = std::string{row.text(1)},
                     .fence = row.count(2),
                     .acquired_at = row.instant(3),
                     .until = row.instant(4)}};
  TRY(row.check());
  return held;
}

Result<LockRecord> LockRows::put(const LockRequest& request, Instant now) {
  std::int64_t fence = 0;
  {
    Cursor row = next_fence_.query();
    if (!TRY(row.next())) return fail(ErrorCode::corrupt, "the number of the last lock is missing");
    fence = row.count(0);
    TRY(row.check());
    // To its end: only then the change is made.
    while (TRY(row.next())) continue;
  }
  const LockRecord lock{.owner = request.owner, .fence = fence, .acquired_at = now, .until = now + request.ttl};
  TRY(put_.run(request.name, request.token, request.owner, fence, lock.acquired_at, lock.until));
  return lock;
}

Result<> LockRows::set_until(const std::string& name, Instant until) { return set_until_.run(name, until); }

Result<> LockRows::remove(const std::string& name) { return remove_.run(name); }

Result<> LockRows::move_by(Duration step) { return move_.run(step); }

}  // namespace carillon::sqlite
