#pragma once

#include <carillon/handler.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace carillon {

struct LockOptions {
  /// How long the lock is held unless it is extended: from a second to a day, in real time.
  std::chrono::microseconds ttl = std::chrono::minutes{1};
  std::string owner{};  // for people; at most 200 bytes
  /// The token to hold it with, at most 100 bytes, for a program that wants to ask again after a failure `unavailable`:
  /// with the same token it has the lock then. None: one is made.
  std::optional<std::string> token{};
};

/// A lock that somebody holds.
struct HeldLock {
  std::string name;
  std::string token;  // with which it is extended and released; empty if that is not the caller's to know
  std::string owner;
  std::int64_t fence = 0;  // greater with every acquisition of any lock
  TimePoint acquired_at;
  TimePoint until;  // unless it is extended
};

}  // namespace carillon
