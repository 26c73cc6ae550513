#include "cli/table.hpp"

#include "cli/printable.hpp"

#include <algorithm>

namespace carillon {

namespace {

using Row = std::vector<Cell>;

std::vector<std::size_t> column_widths(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], column_count(row[i].text));
  }
  return widths;
}

/// The number of cells up to the last that is not empty: beyond it a line has nothing to show.
std::size_t used_cells(const Row& row) {
  const auto last = std::find_if(row.rbegin(), row.rend(), [](const Cell& cell) { return !cell.text.empty(); });
  return static_cast<std::size_t>(row.rend() - last);
}

void append_cell(std::string& out, const Cell& cell, std::size_t width, bool is_last, const Paint& paint) {
  const std::string padding(width - column_count(cell.text), ' ');
  if (cell.align == Align::right) out += padding;
  out += paint(cell.colour, cell.text);
  if (cell.align == Align::left && !is_last) out += padding;
}

void append_row(std::string& out, const Row& row, const std::vector<std::size_t>& widths, const Paint& paint,
                std::string_view gap) {
  const std::size_t used = used_cells(row);
  bool is_first = true;
  for (std::size_t i = 0; i < used; ++i) {
    if (widths[i] == 0) continue;
    if (!is_first) out += gap;
    append_cell(out, row[i], widths[i], i + 1 == used, paint);
    is_first = false;
  }
}

}  // namespace

std::string Table::text(const Paint& paint, std::string_view indent, std::string_view gap) const {
  const std::vector<std::size_t> widths = column_widths(rows_);
  std::string out;
  for (const Row& row : rows_) {
    out += indent;
    append_row(out, row, widths, paint, gap);
    out += '\n';
  }
  return out;
}

}  // namespace carillon
