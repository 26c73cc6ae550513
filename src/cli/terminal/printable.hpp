#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carillon::cli {

inline constexpr std::size_t printable_length_max = 400;

/// The text fit for a terminal: control and direction characters and bytes that are no UTF-8 written as escapes, and
/// all that lies beyond `length_max` bytes cut off with an ellipsis.
[[nodiscard]] std::string printable(std::string_view text, std::size_t length_max = printable_length_max);

/// A text of several lines, however long, that cannot change the terminal: line ends, tabs and everything that is only
/// invisible stay; other control characters, those that turn the direction, and bytes that are no UTF-8 become escapes.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// JSON text in which the characters that could change a terminal are escapes of JSON: the same value to every reader.
[[nodiscard]] std::string printable_json(std::string_view json);

/// How many columns a UTF-8 text takes: one for each code point.
[[nodiscard]] std::size_t column_count(std::string_view text);

/// The text, and under it a caret at the byte `position`: two lines. A long text is shown around the caret only.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t position);

}  // namespace carillon::cli
