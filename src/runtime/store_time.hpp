#pragma once

#include "base/instant.hpp"
#include "ports/clock.hpp"

#include <algorithm>
#include <mutex>

namespace carillon {

/// What the store's clock shows now, without asking the store. May be called from several threads.
class StoreTime {
 public:
  enum class Source {
    answers,    // counted from the time that the store has last told, which is never ahead of the store's clock
    own_clock,  // the store goes by this machine's wall clock
  };

  StoreTime(Clock& clock, Source source) : clock_{clock}, source_{source} {}

  /// The store has just told the time.
  void see(Instant store_now) {
    const std::scoped_lock lock{mutex_};
    store_seen_ = store_now;
    boot_seen_ = clock_.since_boot();
  }

  [[nodiscard]] Instant now() {
    if (source_ == Source::own_clock) return clock_.now();
    const std::scoped_lock lock{mutex_};
    return store_seen_ + (clock_.since_boot() - boot_seen_);
  }

  /// The same for what follows an answer in which the store told `told`: what is counted here may lag behind that by as
  /// long as another answer took.
  [[nodiscard]] Instant now_after(Instant told) {
    return source_ == Source::own_clock ? clock_.now() : std::max(now(), told);
  }

 private:
  Clock& clock_;
  const Source source_;
  std::mutex mutex_;
  // Guarded: the store's clock, and the boot clock at that moment.
  Instant store_seen_{};
  Duration boot_seen_{};
};

}  // namespace carillon
