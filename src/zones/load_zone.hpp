#pragma once

#include "base/error.hpp"
#include "calendar/zone.hpp"

#include <filesystem>
#include <string_view>

namespace carillon {

/// Reads a TZif file, given by its absolute path, into a zone of that name with all its changes between 1900 and 2200.
/// The rules are those in the file now, however often it was read before. May be called from several threads.
/// Fails with `unavailable` when the file cannot be read and `corrupt` when it holds no time zone.
[[nodiscard]] Result<ZonePtr> load_zone(std::string_view name, const std::filesystem::path& path);

}  // namespace carillon
