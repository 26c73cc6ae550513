#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace carillon {

/// How many bytes the well-formed UTF-8 character at the front of the text has: 1 to 4, or 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Where the first byte stands that is not part of well-formed UTF-8.
[[nodiscard]] std::optional<std::size_t> find_malformed_utf8(std::string_view text);

}  // namespace carillon
