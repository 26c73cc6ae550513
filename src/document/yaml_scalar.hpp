#pragma once

#include "base/error.hpp"

#include <boost/json/value.hpp>

#include <string_view>

namespace carillon {

/// What an unquoted YAML scalar means in the core schema of YAML 1.2: null, boolean, integer, float or else text.
/// Infinity, not-a-number and numbers beyond a double are errors, because the tree has no place for them.
[[nodiscard]] Result<boost::json::value> plain_scalar(std::string_view text);

}  // namespace carillon
