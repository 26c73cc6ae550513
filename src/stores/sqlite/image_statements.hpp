#pragma once

#include <span>
#include <string_view>

namespace carillon::sqlite {

/// How a table of an image (stored_rows/store_image.hpp) is read and written.
struct ImageStatements {
  std::string_view table;
  const char* query = nullptr;
  std::span<const char* const> inserts;
};

/// Null: there is no such table.
[[nodiscard]] const ImageStatements* find_image_statements(std::string_view table);

/// What is to be done when all rows are there.
[[nodiscard]] std::span<const char* const> image_finishing();

}  // namespace carillon::sqlite
