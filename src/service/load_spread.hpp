#pragma once

#include "base/instant.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// Schedules of one namespace that start in the same minutes, and what would spread them.
struct SharedMinute {
  std::string name_space;
  std::vector<std::string> ids;   // of those that would be changed
  std::vector<Instant> minutes;   // in which they start together, ascending, at most ten
  std::int64_t minute_count = 0;  // all of them
  std::int64_t starts = 0;        // in the fullest of these minutes, of all schedules
  Duration jitter{};              // that would spread them
  std::int64_t expected = 0;      // starts in the fullest minute then, on average
  std::vector<Instant> quiet{};   // the emptiest minutes of the same hour, to shift a schedule to
};

struct SpreadAnswer {
  std::vector<SharedMinute> items;  // the fullest first
  std::int64_t peak = 0;            // most starts in a minute
  double mean = 0;                  // starts in a minute on average
  std::int64_t schedules = 0;       // with starts in that time
  bool is_partial = false;          // some schedules are not counted: there are too many for one request
};

/// Finds minutes in which many schedules start at once. They change nothing; what they propose is a patch for many
/// schedules, which a person looks at first. May be called from several threads.
class LoadSpread {
 public:
  /// The longest stretch that is looked at.
  static constexpr Duration time_max = std::chrono::days{7};

  explicit LoadSpread(const ServiceParts& parts) : parts_{parts} {}

  /// Proposals for the planned starts in [from, to), at most `count_max`.
  [[nodiscard]] Served<SpreadAnswer> propose(const Caller& caller, const std::optional<std::string>& name_space,
                                             Instant from, Instant to, std::size_t count_max);

 private:
  const ServiceParts& parts_;
};

}  // namespace carillon
