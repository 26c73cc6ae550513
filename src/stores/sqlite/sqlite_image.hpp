#pragma once

#include "stored_rows/store_image.hpp"

#include <filesystem>
#include <memory>

namespace carillon {

/// The embedded store as an image. Its file belongs to nobody else meanwhile: see DataDirectory.
class SqliteImage {
 public:
  /// Refuses what is not a store of the present format; a server brings it there when it opens it.
  [[nodiscard]] static Result<std::unique_ptr<rows::ImageReader>> open_reader(const std::filesystem::path& file);
  /// Makes the file, or takes one that nothing was written to.
  [[nodiscard]] static Result<std::unique_ptr<rows::ImageWriter>> open_writer(const std::filesystem::path& file);
};

}  // namespace carillon
