#pragma once

#include "base/instant.hpp"
#include "definitions/words.hpp"
#include "engine/keys.hpp"

namespace carillon {

/// A time, by the store's clock, in which no server decided. Occurrences that came due in it are decided after it,
/// late.
struct Outage {
  Seq seq{};  // of its line in the ledger: rows after it were written after the outage
  Instant from;
  Instant to;
  OutageCause cause = OutageCause::down;
  friend bool operator==(const Outage&, const Outage&) = default;
};

/// Shorter ones are not recorded: a healthy server may be busy for so long.
inline constexpr Duration outage_min = std::chrono::seconds{5};

/// Whether an occurrence with this due time that was undecided at the end of the outage belongs to it. One that came
/// due shortly before may have been read and not written.
[[nodiscard]] constexpr bool covers(const Outage& outage, Instant due) {
  return outage.from - outage_min <= due && due < outage.to;
}

}  // namespace carillon
