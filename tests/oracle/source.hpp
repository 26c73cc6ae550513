#pragma once

#include "oracle/clock.hpp"
#include "oracle/pattern.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

namespace carillon::oracle {

/// The scan took more steps than anybody wants to wait for; it says nothing about the answer.
struct SearchTooLong : std::runtime_error {
  SearchTooLong() : std::runtime_error("the oracle's scan is too long") {}
};

/// What every source needs beside its own rule.
struct Surroundings {
  const Clock* clock;
  std::shared_ptr<const std::vector<Pattern>> excluded;  // one list for all sources of a spec

  [[nodiscard]] bool is_excluded(Second wall) const;
};

/// Is shown one occurrence after the other; answers whether it wants another.
using Visitor = std::function<bool(Second)>;

/// One source of occurrences. All bounds are included.
class Source {
 public:
  virtual ~Source() = default;
  virtual void ascend(Second from, Second to, const Visitor& visit) const = 0;
  virtual void descend(Second from, Second to, const Visitor& visit) const = 0;

  [[nodiscard]] std::optional<Second> first_within(Second from, Second to) const;
  [[nodiscard]] std::optional<Second> last_within(Second from, Second to) const;
  /// Ascending; one instant may stand there more than once.
  [[nodiscard]] std::vector<Second> all_within(Second from, Second to) const;
};

/// Wall times that happen once each, whatever clocks do.
[[nodiscard]] std::unique_ptr<Source> fixed_source(Pattern pattern, Surroundings surroundings);
/// Every instant at which the wall clock shows a matching time.
[[nodiscard]] std::unique_ptr<Source> clock_source(Pattern pattern, Surroundings surroundings);
/// Instants phase + n · every, for every whole n.
[[nodiscard]] std::unique_ptr<Source> interval_source(Second every, Second phase, Surroundings surroundings);
[[nodiscard]] std::unique_ptr<Source> time_source(Second time, Surroundings surroundings);

}  // namespace carillon::oracle
