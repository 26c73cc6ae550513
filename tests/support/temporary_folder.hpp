#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace carillon {

/// An empty folder that is gone, with all it holds, when the test ends.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "carillon-XXXXXX";
    path_ = ::mkdtemp(name.data()) == nullptr ? throw std::filesystem::filesystem_error{"mkdtemp", {}} : name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Puts a file in place in one step, folders included, as packages do it.
  void write(const std::filesystem::path& name, std::string_view bytes) const {
    const std::filesystem::path target = path_ / name;
    const std::filesystem::path fresh = target.native() + ".new";
    std::filesystem::create_directories(target.parent_path());
    std::ofstream{fresh, std::ios::binary} << bytes;
    std::filesystem::rename(fresh, target);
  }

  void remove(const std::filesystem::path& name) const { std::filesystem::remove_all(path_ / name); }

 private:
  std::filesystem::path path_;
};

}  // namespace carillon
