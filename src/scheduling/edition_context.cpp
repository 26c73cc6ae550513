#include "scheduling/edition_context.hpp"

#include "base/crypto.hpp"

namespace carillon {

std::int64_t unique_number() {
  // Positive, and never zero, which means none.
  return static_cast<std::int64_t>(random_number() >> 1) | 1;
}

}  // namespace carillon
