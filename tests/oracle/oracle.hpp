#pragma once

#include "base/instant.hpp"
#include "calendar/spec.hpp"
#include "oracle/clock.hpp"
#include "oracle/source.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace carillon::oracle {

/// The meaning of a spec, read a second time and as plainly as possible: every answer comes from looking at one wall
/// time after the other. Slow, and nothing else, so that the calendar can be held against it.
///
/// Throws std::invalid_argument for a text it cannot read, SearchTooLong when an answer would take too many steps.
class Oracle {
 public:
  Oracle(const Spec& spec, Instant creation);

  /// Strictly after, strictly before.
  [[nodiscard]] std::optional<Instant> next(Instant after) const;
  [[nodiscard]] std::optional<Instant> previous(Instant before) const;
  /// All in [from, to), ascending.
  [[nodiscard]] std::vector<Instant> occurrences(Instant from, Instant to) const;

 private:
  std::vector<std::unique_ptr<Source>> sources_;
  Second first_;  // the times between which answers lie, both included
  Second last_;
};

}  // namespace carillon::oracle
