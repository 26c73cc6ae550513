#pragma once

#include "base/error.hpp"
#include "cli/terminal/console.hpp"

#include <string>
#include <string_view>

namespace carillon::cli {

/// A text in a file of its own that only its owner can read, for as long as somebody edits it.
class EditedFile {
 public:
  [[nodiscard]] static Result<EditedFile> make(std::string_view text, const Console& console);

  EditedFile(EditedFile&& other) noexcept;
  EditedFile& operator=(EditedFile&&) = delete;
  /// The file is gone, unless it is to be kept.
  ~EditedFile();

  /// Opens $VISUAL, else $EDITOR, else vi, waits until it is closed, and reads the text.
  [[nodiscard]] Result<std::string> edit(Console& console);

  /// What was written is not lost.
  void keep() { is_kept_ = true; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit EditedFile(std::string path) : path_{std::move(path)} {}

  std::string path_;
  bool is_kept_ = false;
};

}  // namespace carillon::cli
