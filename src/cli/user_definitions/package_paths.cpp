#include "cli/user_definitions/package_paths.hpp"

#include "base/quoted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view document_names[] = {"pipeline.yaml", "pipeline.yml"};

bool is_package(const fs::path& folder) {
  std::error_code ignored;
  return std::ranges::any_of(document_names,
                             [&](std::string_view name) { return fs::is_regular_file(folder / name, ignored); });
}

/// What a folder holds and below; hidden folders and those of other tools are passed over.
std::vector<std::string> packages_below(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry{folder, options, error}, end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored)) continue;
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || name == "node_modules") {
      entry.disable_recursion_pending();
    } else if (is_package(entry->path())) {
      found.push_back(entry->path().string());
      entry.disable_recursion_pending();
    }
  }
  std::ranges::sort(found);
  return found;
}

std::unexpected<Error> no_packages(std::string message, std::string hint) {
  return std::unexpected(Error{.code = ErrorCode::not_found,
                               .message = std::move(message),
                               .hint = std::move(hint),
                               .rule = "no-packages",
                               .position = {},
                               .context = {}});
}

}  // namespace

Result<std::string> default_pipelines_folder() {
  for (const std::string_view folder : pipelines_folders) {
    std::error_code ignored;
    if (fs::is_directory(folder, ignored)) return std::string{folder};
  }
  return no_packages(
      fmt::format("there is no folder of pipelines: neither {} is here", fmt::join(pipelines_folders, " nor ")),
      "name the folder, or make one: carillon init --example pipeline");
}

Result<std::vector<std::string>> package_paths(std::span<const std::string> paths) {
  const std::vector<std::string> wanted =
      paths.empty() ? std::vector{TRY(default_pipelines_folder())} : std::vector(paths.begin(), paths.end());
  std::vector<std::string> found;
  for (const std::string& path : wanted) {
    std::error_code ignored;
    if (!fs::exists(path, ignored))
      return no_packages(fmt::format("{} does not exist", carillon::quoted(path)),
                         "name a package, its pipeline.yaml, or a folder of packages");
    if (!fs::is_directory(path, ignored) || is_package(path)) {
      found.push_back(path);
      continue;
    }
    const std::vector<std::string> below = packages_below(path);
    if (below.empty())
      return no_packages(fmt::format("no package in {}", carillon::quoted(path)),
                         "a package is a folder with a pipeline.yaml");
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

}  // namespace carillon::cli
