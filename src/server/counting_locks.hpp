#pragma once

#include "ports/lock_store.hpp"

#include <atomic>
#include <cstdint>

namespace carillon {

/// Counts how often a lock was not to be had, because somebody else held it or the store failed.
class CountingLocks final : public LockStore {
 public:
  explicit CountingLocks(LockStore& below) : below_{below} {}

  [[nodiscard]] std::int64_t failure_count() const { return failures_; }

  Result<LockAttempt> acquire_lock(const LockRequest& request) override {
    auto attempt = below_.acquire_lock(request);
    if (!attempt || !attempt->is_acquired) ++failures_;
    return attempt;
  }
  Result<std::optional<LockRecord>> extend_lock(const std::string& name, const std::string& token,
                                                Duration ttl) override {
    return below_.extend_lock(name, token, ttl);
  }
  Result<bool> release_lock(const std::string& name, const std::string& token) override {
    return below_.release_lock(name, token);
  }
  Result<std::optional<LockRecord>> read_lock(const std::string& name) override { return below_.read_lock(name); }

 private:
  LockStore& below_;
  std::atomic<std::int64_t> failures_ = 0;
};

}  // namespace carillon
