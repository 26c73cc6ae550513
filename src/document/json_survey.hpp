#pragma once

#include "document/document.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace carillon {

// What Boost.JSON does not tell about a text that it accepts.

/// Where the first key begins that its object already has.
[[nodiscard]] std::optional<std::size_t> find_duplicate_key(std::string_view valid_json);

/// The positions of the values of `root`, which is what `valid_json` says.
[[nodiscard]] std::map<std::string, Position, std::less<>> json_positions(std::string_view valid_json,
                                                                          const boost::json::value& root);

}  // namespace carillon
