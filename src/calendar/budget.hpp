#pragma once

#include <cstdint>
#include <limits>

namespace carillon {

/// How much a search may do, counted in steps: a rule looked at for a day, or a point of an interval looked at. The
/// same search always takes the same number of steps, whatever the machine and its load. A search whose budget is spent
/// stops, and what it answers then means nothing.
class Budget {
 public:
  explicit Budget(std::uint64_t steps) : steps_{steps}, left_{steps} {}
  [[nodiscard]] static Budget unlimited() { return Budget{std::numeric_limits<std::uint64_t>::max()}; }

  /// False, from then on, once more is taken than there is.
  bool take(std::uint64_t steps) {
    if (steps > left_) {
      left_ = 0;
      is_spent_ = true;
    } else {
      left_ -= steps;
    }
    return !is_spent_;
  }
  [[nodiscard]] bool is_spent() const { return is_spent_; }
  [[nodiscard]] std::uint64_t used() const { return steps_ - left_; }

 private:
  std::uint64_t steps_;
  std::uint64_t left_;
  bool is_spent_ = false;
};

}  // namespace carillon
