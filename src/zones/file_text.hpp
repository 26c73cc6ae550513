#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <string>

namespace carillon {

/// The bytes of a regular file of at most 16 MiB; anything else is unavailable.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace carillon
