#include "packages/folder_scope.hpp"

namespace carillon::packages {

bool is_at_or_below(std::string_view path, std::string_view folder) {
  if (folder == "." || path == folder) return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

std::string joined_path(std::string_view folder, std::string_view name) {
  return folder == "." ? std::string{name} : std::string{folder} + '/' + std::string{name};
}

std::string folder_of(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string_view::npos ? "." : std::string{file.substr(0, slash)};
}

bool FolderScope::contains(std::string_view file) const {
  return is_recursive ? is_at_or_below(file, folder) : folder_of(file) == folder;
}

}  // namespace carillon::packages
