#pragma once

#include <string_view>

namespace carillon {

/// Whether the bytes begin like a TZif file and are as long as its header says (RFC 8536). absl allocates what a header
/// asks for before it reads, so a damaged header must not get there.
[[nodiscard]] bool is_whole_tzif(std::string_view bytes);

}  // namespace carillon
