#pragma once

#include <cstddef>
#include <string_view>

namespace carillon {

/// Equal but for the case of ASCII letters and for space, `-` and `_`, which people take for each other.
[[nodiscard]] bool equals_loosely(std::string_view one, std::string_view other);

/// How many letters must be added, removed, replaced or swapped with their neighbour to turn one text into the other,
/// compared loosely; any number above `limit` when it is more than `limit`.
[[nodiscard]] std::size_t edit_distance(std::string_view one, std::string_view other, std::size_t limit);

}  // namespace carillon
