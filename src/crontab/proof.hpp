#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "crontab/crontab.hpp"
#include "ports/zone_source.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// A start that only one of the two makes.
struct StartDifference {
  enum class Side { only_cron, only_ours };
  Side side;
  Instant at;
  std::string local;  // the same, as the line's clock shows it: `2027-03-14T03:00:00-04:00`
  std::string why;    // the clock change behind it, as a sentence without final period
};

/// The starts of one line by cron's own rules beside those of its schedule. Jitter is left out of both.
struct Proof {
  std::size_t line;  // its number
  std::uint64_t count_cron = 0;
  std::uint64_t count_ours = 0;
  std::uint64_t difference_count = 0;
  std::vector<StartDifference> differences{};  // the first proof_differences_max

  [[nodiscard]] bool is_clean() const { return difference_count == 0; }
};

inline constexpr std::size_t proof_differences_max = 20;
inline constexpr int proof_years_max = 10;

/// Compares every start in [from, to) of every imported line, one proof for each, in order. What cron would do is found
/// minute by minute, with no code of the calendar. Fails when a zone cannot be loaded, and for a range of more than
/// proof_years_max years.
[[nodiscard]] Result<std::vector<Proof>> prove(std::span<const ImportedLine> lines, Instant from, Instant to,
                                               ZoneSource& zones);

}  // namespace carillon
