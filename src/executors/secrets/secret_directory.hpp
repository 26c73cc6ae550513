#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace carillon {

inline constexpr std::size_t secret_size_max = 64 * 1024;

/// The one directory whose files may be read as secrets.
///
/// A file is read only if it is a regular file of at most 64 KiB, belongs to this process's user or to root and is not
/// writable to others, and if the way to it from the directory leads through no symbolic link. The same owner and mode
/// is asked of the directories on that way. One line end behind the secret, as editors write it, is not part of it.
class SecretDirectory {
 public:
  /// Refuses a directory that is the data folder, contains it or lies in it: what is there is nobody's secret to give.
  [[nodiscard]] static Result<SecretDirectory> open(const std::filesystem::path& directory,
                                                    const std::filesystem::path& data);
  SecretDirectory(SecretDirectory&& other) noexcept;
  SecretDirectory& operator=(SecretDirectory&&) = delete;
  ~SecretDirectory();

  /// The file of a relative path, or of an absolute one below the directory. May block for as long as the file system
  /// does. Errors say what to do and never show what is in the file.
  [[nodiscard]] Result<std::string> read(std::string_view path) const;

  /// The path from the directory on, an error if an absolute one lies elsewhere. Looks at the text alone.
  [[nodiscard]] Result<std::string> relative(std::string_view path) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  SecretDirectory(std::filesystem::path path, std::filesystem::path given, int file);

  std::filesystem::path path_;   // canonical
  std::filesystem::path given_;  // as it was named
  int file_ = -1;
};

}  // namespace carillon
