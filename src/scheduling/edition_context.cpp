#include "scheduling/edition_context.hpp"

#include "base/assertion.hpp"

#include <sys/random.h>

#include <limits>

namespace carillon {

std::int64_t unique_number() {
  std::uint64_t number = 0;
  const auto count = ::getrandom(&number, sizeof number, 0);
  CARILLON_ASSERT(count == static_cast<ssize_t>(sizeof number));
  // Positive, and never zero, which means none.
  return static_cast<std::int64_t>(number >> 1) | 1;
}

}  // namespace carillon
