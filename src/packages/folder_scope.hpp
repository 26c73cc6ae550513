#pragma once

#include <string>
#include <string_view>

namespace carillon::packages {

/// A part of a watched folder: the files that stand in one folder, or also all that stand below it. Paths are relative
/// to the watched folder, which is `.` itself.
struct FolderScope {
  std::string folder{"."};
  bool is_recursive = true;

  [[nodiscard]] bool contains(std::string_view file) const;
  friend bool operator==(const FolderScope&, const FolderScope&) = default;
};

/// Whether a path is the other one or lies below it.
[[nodiscard]] bool is_at_or_below(std::string_view path, std::string_view folder);
/// `a` and `b` → `a/b`; `.` and `b` → `b`.
[[nodiscard]] std::string joined_path(std::string_view folder, std::string_view name);
/// The folder of a file: `a/b` → `a`, `b` → `.`.
[[nodiscard]] std::string folder_of(std::string_view file);

}  // namespace carillon::packages
