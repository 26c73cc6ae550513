#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// Files of a data directory that only their owner may read: keys and tokens.

/// None if there is no such file. A link is not followed.
[[nodiscard]] Result<std::optional<std::string>> read_private_file(const std::filesystem::path& file);

/// Under its name only when it is whole, also after a power cut.
[[nodiscard]] Result<> write_private_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace carillon
