#pragma once

#include "base/error.hpp"
#include "ports/log.hpp"

#include <filesystem>
#include <string_view>

namespace carillon::packages {

/// The folder of the store inside a folder of packages, unless it is to lie elsewhere.
inline constexpr std::string_view store_folder_name = ".carillon";

/// A folder of packages by its name, absolute and without links. Error code not_found if it is no folder.
[[nodiscard]] Result<std::filesystem::path> find_package_folder(const std::filesystem::path& name);

/// Keeps a store inside a project out of version control. If that fails it is logged: nothing depends on it.
void ignore_in_version_control(const std::filesystem::path& store, Log& log);

}  // namespace carillon::packages
