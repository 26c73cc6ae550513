#pragma once

#include "base/assertion.hpp"

#include <mutex>

namespace carillon {

namespace detail {
inline thread_local bool is_blocking_forbidden = false;
}

/// While it exists, the current thread serves many clients and must not wait for a disk, a lock that is held during
/// one, or another process. Threads of event loops have one for their whole life.
class BlockingForbidden {
 public:
  BlockingForbidden() : before_{detail::is_blocking_forbidden} { detail::is_blocking_forbidden = true; }
  BlockingForbidden(const BlockingForbidden&) = delete;
  BlockingForbidden& operator=(const BlockingForbidden&) = delete;
  ~BlockingForbidden() { detail::is_blocking_forbidden = before_; }

 private:
  const bool before_;
};

/// To be called by whatever may wait: stores, above all. Costs nothing in release builds.
inline void assert_may_block() {
#ifndef NDEBUG
  CARILLON_ASSERT(!detail::is_blocking_forbidden);
#endif
}

/// A lock of something that stands for a store.
class StoreMutex {
 public:
  void lock() {
    assert_may_block();
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace carillon
