#pragma once

#include <string_view>

namespace carillon::cli {

/// Of this program: `0.1.0`.
[[nodiscard]] std::string_view program_version();

}  // namespace carillon::cli
