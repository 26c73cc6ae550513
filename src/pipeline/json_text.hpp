#pragma once

#include "base/error.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace carillon::pipeline {

/// Lists and maps within each other that an answer may have.
inline constexpr std::size_t answer_depth_max = 200;

/// Reads JSON as `JSON.parse` does: of equal keys the last value counts, numbers are read to the last bit. The messages
/// of errors are those that users of Node.js know. Numbers beyond a double and deeper nesting than answer_depth_max are
/// errors.
[[nodiscard]] Result<boost::json::value> parse_answer_json(std::string_view text);

/// JSON with an indent of two, as `JSON.stringify(value, null, 2)` writes it. `depth` is how deep it is to stand.
[[nodiscard]] std::string indented(const boost::json::value& value, std::size_t depth = 0);

/// JSON on one line without spaces, as `JSON.stringify(value)` writes it.
[[nodiscard]] std::string compact(const boost::json::value& value);

}  // namespace carillon::pipeline
