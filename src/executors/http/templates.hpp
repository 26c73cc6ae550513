#pragma once

#include "base/error.hpp"
#include "definitions/action.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace carillon {

/// Replaces every `{{name}}` by the value of that name, in one pass: what a value holds is not looked at again. Blanks
/// inside the braces do not matter; braces that are never closed are text. An error names what is unknown, or says that
/// the result would exceed `size_max` bytes.
[[nodiscard]] Result<std::string> expand(std::string_view text, const TextMap& values, std::size_t size_max);

/// The same for every text inside a tree, keys excepted. `size_max` holds for all of them together.
[[nodiscard]] Result<boost::json::value> expand_tree(const boost::json::value& tree, const TextMap& values,
                                                     std::size_t size_max);

}  // namespace carillon
