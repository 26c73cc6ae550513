#include "stores/memory/memory_store.hpp"
#include "stores/memory/tables.hpp"

namespace carillon {

Result<LockAttempt> MemoryStore::acquire_lock(const LockRequest& request) {
  const WriteScope scope{*this};
  const Instant now = time_of_writing();
  auto& held = tables_->locks[request.name];
  if (held.lock.until > now) return LockAttempt{.is_acquired = held.token == request.token, .lock = held.lock};
  held = {
      .token = request.token,
      .lock = {.owner = request.owner, .fence = ++tables_->lock_fence, .acquired_at = now, .until = now + request.ttl}};
  return LockAttempt{.is_acquired = true, .lock = held.lock};
}

Result<std::optional<LockRecord>> MemoryStore::extend_lock(const std::string& name, const std::string& token,
                                                           Duration ttl) {
  const WriteScope scope{*this};
  const Instant now = time_of_writing();
  const auto found = tables_->locks.find(name);
  if (found == tables_->locks.end() || found->second.token != token || found->second.lock.until <= now)
    return std::nullopt;
  found->second.lock.until = now + ttl;
  return found->second.lock;
}

Result<bool> MemoryStore::release_lock(const std::string& name, const std::string& token) {
  const WriteScope scope{*this};
  const Instant now = time_of_writing();
  const auto found = tables_->locks.find(name);
  if (found == tables_->locks.end() || found->second.token != token) return false;
  const bool was_held = found->second.lock.until > now;
  tables_->locks.erase(found);
  return was_held;
}

Result<std::optional<LockRecord>> MemoryStore::read_lock(const std::string& name) {
  const std::scoped_lock lock{mutex_};
  const Instant time = now();
  const auto found = tables_->locks.find(name);
  if (found == tables_->locks.end() || found->second.lock.until <= time) return std::nullopt;
  return found->second.lock;
}

}  // namespace carillon
