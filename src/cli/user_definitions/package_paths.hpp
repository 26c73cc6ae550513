#pragma once

#include "base/error.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// Where pipelines are looked for if no folder is named, in this order.
inline constexpr std::string_view pipelines_folders[] = {".vscode/pipelines", "pipelines"};

/// The folder of pipelines here, or an error that says where it was looked for.
[[nodiscard]] Result<std::string> default_pipelines_folder();

/// The packages that paths name: a package, its pipeline.yaml, or a folder of packages; nothing means the default
/// folder. In the order of their names. An error if there is none, or a path does not exist.
[[nodiscard]] Result<std::vector<std::string>> package_paths(std::span<const std::string> paths);

}  // namespace carillon::cli
