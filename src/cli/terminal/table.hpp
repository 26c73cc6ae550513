#pragma once

#include "cli/terminal/paint.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

enum class Align { left, right };

struct Cell {
  std::string text;
  Colour colour = Colour::none;
  Align align = Align::left;
  std::string painted{};  // the same text with colours of its own
};

/// A cell of the first row, which names the columns.
[[nodiscard]] inline Cell heading(std::string_view text, Align align = Align::left) {
  return {.text = std::string{text}, .colour = Colour::bold, .align = align};
}

/// Rows of cells in columns as wide as their widest cell. Columns in which every cell is empty take no room.
class Table {
 public:
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  /// Makes lines fit into `width` columns by what this column can spare: its texts are cut. A column of which next to
  /// nothing would be left goes away.
  void narrow(std::size_t column, std::size_t width, const Paint& paint, std::string_view gap);

  /// Each row on a line of its own, without blanks at its end.
  [[nodiscard]] std::string text(const Paint& paint, std::string_view indent, std::string_view gap) const;

 private:
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace carillon::cli
