#pragma once

#include <string>
#include <string_view>

namespace carillon {

/// Appends `/` and the key to a JSON pointer, escaped by RFC 6901.
void append_key(std::string& pointer, std::string_view key);

/// The pointer without its last key; of a pointer to the root, nothing is left to remove.
[[nodiscard]] std::string_view parent_pointer(std::string_view pointer);

}  // namespace carillon
