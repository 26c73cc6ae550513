#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace carillon {

/// What is wrong with a text at a byte offset; the message begins with line and column.
[[nodiscard]] Error text_fault(std::string_view text, std::size_t offset, std::string_view rule, std::string_view what,
                               std::string hint = {});

/// A text beyond its bound is refused unread.
[[nodiscard]] Result<> check_size(std::string_view text, std::size_t size_max, std::string_view rule);

}  // namespace carillon
