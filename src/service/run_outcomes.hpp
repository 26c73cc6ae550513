#pragma once

#include "base/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace carillon {

/// What became of the starts that were decided in one stretch of time.
struct OutcomeBucket {
  Instant from;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;   // also timed out, lost and expired
  std::int64_t open = 0;     // waiting, queued, running or retrying
  std::int64_t skipped = 0;  // also cancelled
};

struct OutcomesAnswer {
  std::vector<OutcomeBucket> buckets;           // ascending
  std::map<std::string, std::int64_t> reasons;  // of what was skipped
  bool is_partial = false;                      // there are more than are counted; the newest are
};

/// Rows that are counted for one answer.
inline constexpr std::size_t outcome_count_max = 20'000;

}  // namespace carillon
