#pragma once

#include "base/rate_limit.hpp"
#include "ports/clock.hpp"
#include "service/caller.hpp"

#include <cstddef>

namespace carillon {

/// How many runs each caller may start in a second; twice as many at once. May be called from several threads.
class StartLimit {
 public:
  StartLimit(Clock& clock, double starts_per_second)
      : clock_{clock}, starts_{starts_per_second, 2 * starts_per_second} {}

  /// Counts runs that are about to be started; refuses all of them (too_many) if the caller has not as many left.
  [[nodiscard]] Served<> count(const Caller& caller, std::size_t run_count) {
    if (starts_.take(caller.actor, clock_.since_boot(), static_cast<double>(run_count))) return {};
    return refuse(Refusal::Kind::too_many, "too_many", "too many starts by this token; try again in a moment");
  }

 private:
  Clock& clock_;
  RateLimit starts_;
};

}  // namespace carillon
