#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"

#include <string>
#include <string_view>

namespace carillon::cli {

/// A new file that only its owner can read. It is made at once, so that a place where that fails is known before there
/// is a secret; without keep() it is gone again.
class NewPrivateFile {
 public:
  /// An error if the file is there already.
  [[nodiscard]] static Result<NewPrivateFile> create(const std::string& path);

  NewPrivateFile(NewPrivateFile&&) = default;
  NewPrivateFile& operator=(NewPrivateFile&&) = delete;
  ~NewPrivateFile();

  /// Writes the text, and the file stays.
  [[nodiscard]] Result<> keep(std::string_view text);

 private:
  NewPrivateFile(std::string path, FileDescriptor file) : path_{std::move(path)}, file_{std::move(file)} {}

  std::string path_;
  FileDescriptor file_;
  bool is_kept_ = false;
};

}  // namespace carillon::cli
