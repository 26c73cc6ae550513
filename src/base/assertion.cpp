#include "base/assertion.hpp"

#include <cstdio>
#include <cstdlib>

namespace carillon::detail {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "carillon: assertion failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace carillon::detail
