#pragma once

#include "base/error.hpp"
#include "packages/folder_scope.hpp"
#include "pipeline/pipeline_document.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::packages {

/// Which files of a watched folder define schedules: those of packages (`pipeline.yaml`, `pipeline.yml`), or also files
/// of schedules (`.yaml`, `.yml`, `.json`) in folders that are no packages.
enum class WatchedFiles { packages, packages_and_schedules };

// What lies beyond is not looked at, and reported.
inline constexpr std::size_t listed_file_count_max = 10'000;
inline constexpr std::size_t listed_folder_count_max = 10'000;
inline constexpr std::size_t folder_depth_max = 32;

struct ListedFile {
  std::string file;
  bool is_package = false;
};

/// What was found, in the order of the names. `faults` are folders that cannot be read: what is below them is not
/// known.
struct FolderListing {
  std::vector<ListedFile> files;
  std::vector<std::string> folders;
  std::vector<pipeline::FileFault> faults;
};

/// Whether a folder is none of the user's: hidden ones (`.git`, `.results`, `.carillon`) and `node_modules`.
[[nodiscard]] bool is_passed_over(std::string_view folder_name);
/// Whether a file of this name may define schedules.
[[nodiscard]] bool may_define_schedules(std::string_view file_name, WatchedFiles which);

/// Lists the files of a scope. Links to folders are not followed. An error if the watched folder itself cannot be read;
/// a folder of the scope that is not there has no files.
[[nodiscard]] Result<FolderListing> list_folder(const std::filesystem::path& watched, const FolderScope& scope,
                                                WatchedFiles which);

}  // namespace carillon::packages
