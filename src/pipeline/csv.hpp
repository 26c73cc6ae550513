#pragma once

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon::pipeline {

/// Bounds of one row; beyond them reading is an error that names the line.
inline constexpr std::size_t row_bytes_max = 32 * 1024 * 1024;
inline constexpr std::size_t column_count_max = 10'000;

/// Turns the bytes of a CSV file into items, piece by piece, so that a file of any size needs the memory of one row.
/// CRLF and CR are LF, also inside quotes; a quote opens a quoted part anywhere, a doubled one inside is a quote;
/// headers are trimmed, cells are not; an empty line is an item of empty texts; short rows are filled up, long ones
/// cut; a byte order mark is no part of the file. A delimiter of more than one character never occurs. Equal headers, a
/// row beyond its bounds and malformed UTF-8 are errors; after one, the reader must not be used again.
class CsvReader {
 public:
  explicit CsvReader(std::string delimiter);

  /// The items that are complete after these bytes.
  [[nodiscard]] Result<std::vector<Item>> read(std::string_view bytes);
  /// The rest, after the last byte.
  [[nodiscard]] Result<std::vector<Item>> finish();
  /// Known from the end of the first row on.
  [[nodiscard]] const std::vector<std::string>& headers() const { return headers_; }

 private:
  enum class Quoting { none, open, perhaps_closed };  // perhaps_closed: after a quote that may be the first of two

  [[nodiscard]] Result<> take(char c);
  void take_plain(char c);
  [[nodiscard]] Result<> end_cell();
  [[nodiscard]] Result<> end_row();
  [[nodiscard]] Result<> check_row() const;
  [[nodiscard]] Result<> take_headers();

  std::string delimiter_;
  std::vector<std::string> headers_;
  std::vector<std::string> row_;
  std::string cell_;
  std::size_t row_bytes_ = 0;
  std::size_t line_ = 1;      // where the row begins
  std::size_t line_end_ = 1;  // where we are
  Quoting quoting_ = Quoting::none;
  bool is_after_return_ = false;
  bool has_headers_ = false;
  std::size_t delimiter_bytes_ = 0;  // how many bytes of a delimiter of several bytes end the cell
  std::vector<Item> items_;
};

/// A whole text at once.
struct CsvTable {
  std::vector<std::string> headers;
  std::vector<Item> items;
};
[[nodiscard]] Result<CsvTable> read_csv(std::string_view text, std::string_view delimiter = ",");

}  // namespace carillon::pipeline
