#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carillon {

inline constexpr std::size_t printable_length_max = 400;

/// The text fit for a terminal: control and direction characters and bytes that are no UTF-8 written as escapes, and
/// all that lies beyond `length_max` bytes cut off with an ellipsis.
[[nodiscard]] std::string printable(std::string_view text, std::size_t length_max = printable_length_max);

/// How many columns a UTF-8 text takes: one for each code point.
[[nodiscard]] std::size_t column_count(std::string_view text);

/// The text, and under it a caret at the byte `position`: two lines. A long text is shown around the caret only.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t position);

}  // namespace carillon
