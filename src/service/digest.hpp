#pragma once

#include <string>
#include <string_view>

namespace carillon {

/// SHA-256, 32 bytes.
[[nodiscard]] std::string sha256(std::string_view bytes);
/// The same in hex.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace carillon
