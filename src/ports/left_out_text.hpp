#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace carillon {

inline constexpr std::string_view left_out_begin = "\n… ";
inline constexpr std::string_view left_out_end = " bytes left out …\n";

/// What people read in every log store in place of bytes that are left out.
[[nodiscard]] inline std::string left_out_text(std::int64_t count) {
  return fmt::format("{}{}{}", left_out_begin, count, left_out_end);
}

}  // namespace carillon
