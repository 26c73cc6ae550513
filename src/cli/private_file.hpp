#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace carillon {

/// A new file that only its owner can read. It is made at once, so that a place where that fails is known before there
/// is a secret; without keep() it is gone again.
class PrivateFile {
 public:
  /// An error if the file is there already.
  [[nodiscard]] static Result<PrivateFile> create(const std::string& path);

  PrivateFile(PrivateFile&& other) noexcept;
  PrivateFile& operator=(PrivateFile&&) = delete;
  ~PrivateFile();

  /// Writes the text, and the file stays.
  [[nodiscard]] Result<> keep(std::string_view text);

 private:
  PrivateFile(std::string path, int descriptor) : path_{std::move(path)}, descriptor_{descriptor} {}

  std::string path_;
  int descriptor_;
  bool is_kept_ = false;
};

}  // namespace carillon
