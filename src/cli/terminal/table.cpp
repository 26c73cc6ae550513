#include "cli/terminal/table.hpp"

#include "cli/terminal/printable.hpp"

#include <algorithm>

namespace carillon::cli {

namespace {

using Row = std::vector<Cell>;

/// Columns narrower than this tell nothing.
constexpr std::size_t narrow_width_min = 8;

std::size_t width_of(const Cell& cell, const Paint& paint) { return column_count(paint.signs(cell.text)); }

/// As they are printed: the same sign may be wider in ASCII.
std::vector<std::size_t> column_widths(const std::vector<Row>& rows, const Paint& paint) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i], paint));
  }
  return widths;
}

std::size_t line_width(const std::vector<std::size_t>& widths, std::size_t gap) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) sum += width == 0 ? 0 : width + (sum > 0 ? gap : 0);
  return sum;
}

/// The first code points of a text.
std::string first_columns(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
    if (begins && count-- == 0) break;
  }
  return std::string{text.substr(0, end)};
}

/// The number of cells up to the last that is not empty: beyond it a line has nothing to show.
std::size_t used_cells(const Row& row) {
  const auto last = std::find_if(row.rbegin(), row.rend(), [](const Cell& cell) { return !cell.text.empty(); });
  return static_cast<std::size_t>(row.rend() - last);
}

void append_cell(std::string& out, const Cell& cell, std::size_t width, bool is_last, const Paint& paint) {
  const std::string padding(width - width_of(cell, paint), ' ');
  if (cell.align == Align::right) out += padding;
  out += paint.signs(cell.painted.empty() ? paint(cell.colour, cell.text) : cell.painted);
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

void Table::narrow(std::size_t column, std::size_t width, const Paint& paint, std::string_view gap) {
  const std::vector<std::size_t> widths = column_widths(rows_, paint);
  const std::size_t needed = line_width(widths, gap.size());
  if (needed <= width || column >= widths.size()) return;
  const std::size_t spared = needed - width;
  const std::string_view ellipsis = paint.has_utf8() ? "…" : "...";
  const bool is_kept = widths[column] >= spared + narrow_width_min;
  const std::size_t room = is_kept ? widths[column] - spared : 0;
  for (Row& row : rows_) {
    if (column >= row.size() || (is_kept && width_of(row[column], paint) <= room)) continue;
    const std::string text = paint.signs(row[column].text);
    row[column] = is_kept ? Cell{.text = first_columns(text, room - column_count(ellipsis)) + std::string{ellipsis},
                                 .colour = row[column].colour,
                                 .align = row[column].align}
                          : Cell{};
  }
}

std::string Table::text(const Paint& paint, std::string_view indent, std::string_view gap) const {
  const std::vector<std::size_t> widths = column_widths(rows_, paint);
  std::string out;
  for (const Row& row : rows_) {
    out += indent;
    append_row(out, row, widths, paint, gap);
    out += '\n';
  }
  return out;
}

}  // namespace carillon::cli
