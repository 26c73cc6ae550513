#include "docs_site/markdown_table.hpp"

#include "docs_site/markdown_inline.hpp"
#include "docs_site/markdown_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace carillon::docs_site {
namespace {

std::string_view trimmed_cell(std::string_view cell) {
  const std::size_t begin = std::min(cell.find_first_not_of(' '), cell.size());
  return cell.substr(begin, cell.find_last_not_of(' ') + 1 - std::min(begin, cell.find_last_not_of(' ') + 1));
}

/// The cells of a row. A bar behind a backslash is part of its cell.
std::vector<std::string> cells_of(std::string_view line) {
  line = trimmed_cell(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|') && !line.ends_with("\\|")) line.remove_suffix(1);
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = std::string{trimmed_cell(cell)};
  return cells;
}

void write_row(const std::vector<std::string>& cells, const std::vector<std::string>& rules, std::string_view tag,
               const LinkTarget& target_of, std::string& html) {
  html += "<tr>";
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool is_number = rules[i].ends_with(':') && !rules[i].starts_with(':');
    html += fmt::format("<{0}{1}>{2}</{0}>", tag, is_number ? " class=\"number\"" : "",
                        i < cells.size() ? render_inline(cells[i], target_of) : std::string{});
  }
  html += "</tr>\n";
}

}  // namespace

std::size_t render_table(std::span<const std::string_view> lines, const LinkTarget& target_of, std::string& html) {
  const auto head = cells_of(lines[0]);
  const auto rules = cells_of(lines[1]);
  html += "<div class=\"table\" tabindex=\"0\"><table>\n";
  const bool has_head = std::ranges::any_of(head, [](const std::string& cell) { return !cell.empty(); });
  if (has_head) {
    html += "<thead>";
    write_row(head, rules, "th", target_of, html);
    html += "</thead>\n";
  }
  html += "<tbody>\n";
  std::size_t count = 2;
  for (; count < lines.size() && lines[count].contains('|') && !is_blank(lines[count]); ++count)
    write_row(cells_of(lines[count]), rules, "td", target_of, html);
  html += "</tbody></table></div>\n";
  return count;
}

}  // namespace carillon::docs_site
