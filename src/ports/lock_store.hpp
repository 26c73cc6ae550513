#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace carillon {

struct LockRequest {
  std::string name;
  std::string token;  // the caller's secret: who has it holds the lock. Never the same twice
  std::string owner;  // for people
  Duration ttl{};     // how long the lock is held unless it is extended
};

/// A lock that is held.
struct LockRecord {
  std::string owner;
  std::int64_t fence = 0;  // greater with every acquisition of any lock of the store
  Instant acquired_at;
  Instant until;  // by the store's clock
  friend bool operator==(const LockRecord&, const LockRecord&) = default;
};

struct LockAttempt {
  bool is_acquired = false;
  LockRecord lock;  // ours, or the one that is in the way
};

/// Locks between processes, each with a time to live: what a holder that dies leaves behind is free after it. A holder
/// that is halted for longer than that does not notice: whoever protects something with a lock compares the fence
/// there. The lock is for duties that one of several servers is to do (pruning), and for users. No start of a run
/// depends on one. May be called from several threads.
class LockStore {
 public:
  virtual ~LockStore() = default;

  /// Takes the lock if nobody holds it. The same token may ask again, after a lost answer: it has the lock then.
  [[nodiscard]] virtual Result<LockAttempt> acquire_lock(const LockRequest& request) = 0;
  /// Holds it for `ttl` from now on. None if the token does not hold the lock any more.
  [[nodiscard]] virtual Result<std::optional<LockRecord>> extend_lock(const std::string& name, const std::string& token,
                                                                      Duration ttl) = 0;
  /// Returns whether the token held it.
  [[nodiscard]] virtual Result<bool> release_lock(const std::string& name, const std::string& token) = 0;
  /// None: nobody holds it.
  [[nodiscard]] virtual Result<std::optional<LockRecord>> read_lock(const std::string& name) = 0;
};

}  // namespace carillon
