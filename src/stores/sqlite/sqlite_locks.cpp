#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/store_calls.hpp"

namespace carillon {

using sqlite::Lane;
using sqlite::Tables;

Result<LockAttempt> SqliteStore::acquire_lock(const LockRequest& request) {
  return write_in<LockAttempt>(Lane::user, [&](Tables& tables, Instant now) -> Result<LockAttempt> {
    const auto held = TRY(tables.locks.find(request.name));
    if (held && held->lock.until > now)
      return LockAttempt{.is_acquired = held->token == request.token, .lock = held->lock};
    return LockAttempt{.is_acquired = true, .lock = TRY(tables.locks.put(request, now))};
  });
}

Result<std::optional<LockRecord>> SqliteStore::extend_lock(const std::string& name, const std::string& token,
                                                           Duration ttl) {
  using Answer = std::optional<LockRecord>;
  return write_in<Answer>(Lane::user, [&](Tables& tables, Instant now) -> Result<Answer> {
    auto held = TRY(tables.locks.find(name));
    if (!held || held->token != token || held->lock.until <= now) return Answer{};
    held->lock.until = now + ttl;
    TRY(tables.locks.set_until(name, held->lock.until));
    return Answer{held->lock};
  });
}

Result<bool> SqliteStore::release_lock(const std::string& name, const std::string& token) {
  return write_in<bool>(Lane::user, [&](Tables& tables, Instant now) -> Result<bool> {
    const auto held = TRY(tables.locks.find(name));
    if (!held || held->token != token) return false;
    TRY(tables.locks.remove(name));
    return held->lock.until > now;
  });
}

Result<std::optional<LockRecord>> SqliteStore::read_lock(const std::string& name) {
  using Answer = std::optional<LockRecord>;
  return read<Answer>([&](Tables& tables, Instant now) -> Result<Answer> {
    const auto held = TRY(tables.locks.find(name));
    const Instant time = TRY(time_of_rows(tables, now, clock_offset(now, clock_.since_boot())));
    return held && held->lock.until > time ? Answer{held->lock} : Answer{};
  });
}

}  // namespace carillon
