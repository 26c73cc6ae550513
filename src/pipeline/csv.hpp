#pragma once

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// Turns the bytes of a CSV file into items, piece by piece, so that a file of any size needs the memory of one row.
/// CRLF and CR are LF, also inside quotes; a quote opens a quoted part anywhere, a doubled one inside is a quote;
/// headers are trimmed, cells are not; an empty line is an item of empty texts; short rows are filled up, long ones
/// cut; a byte order mark is no part of the file. A row of more than cell_bytes_max bytes and malformed UTF-8 are
/// errors that name the line.
class CsvReader {
 public:
  explicit CsvReader(std::string delimiter) : delimiter_{std::move(delimiter)} {}

  /// The items that are complete after these bytes.
  [[nodiscard]] Result<std::vector<Item>> read(std::string_view bytes);
  /// The rest, after the last byte.
  [[nodiscard]] Result<std::vector<Item>> finish();
  [[nodiscard]] const std::vector<std::string>& headers() const { return headers_; }

 private:
  // Filled in with the implementation.
  std::string delimiter_;
  std::vector<std::string> headers_;
};

inline constexpr std::size_t row_bytes_max = 32 * 1024 * 1024;

/// A whole text at once.
struct CsvTable {
  std::vector<std::string> headers;
  std::vector<Item> items;
};
[[nodiscard]] Result<CsvTable> read_csv(std::string_view text, std::string_view delimiter = ",");

}  // namespace carillon::pipeline
