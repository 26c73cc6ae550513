#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carillon {

/// How much of a value a message shows.
inline constexpr std::size_t quoted_length_max = 64;

/// Any bytes, fit for a message: in double quotes, cut after 64 characters with `…`, on one line, well-formed UTF-8.
/// Control characters and bytes that are no UTF-8 appear as `\n` or `\x1b`.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace carillon
