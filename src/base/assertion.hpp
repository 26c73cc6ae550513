#pragma once

namespace carillon::detail {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}  // namespace carillon::detail

/// Ends the process when only a bug can have broken the condition; on in release builds too. Never for input, disk or
/// network.
#define CARILLON_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::carillon::detail::assertion_failed(#condition, __FILE__, __LINE__))
