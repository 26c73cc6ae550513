#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// How many bytes the well-formed UTF-8 character at the front of the text has: 1 to 4, or 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Where the first byte stands that is not part of well-formed UTF-8.
[[nodiscard]] std::optional<std::size_t> find_malformed_utf8(std::string_view text);

/// The text as it is if it has at most `size_max` bytes; else its beginning, cut between two characters, and the mark
/// "… (N bytes left out)". The answer never has more than `size_max` bytes, which must be at least 64.
[[nodiscard]] std::string shortened(std::string text, std::size_t size_max);

}  // namespace carillon
