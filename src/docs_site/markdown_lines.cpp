#include "docs_site/markdown_lines.hpp"

#include <algorithm>
#include <charconv>

namespace carillon::docs_site {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

Fence fence_of(std::string_view line) {
  const std::size_t indent = indent_of(line);
  line.remove_prefix(indent);
  if (indent > 3 || !(line.starts_with("```") || line.starts_with("~~~"))) return {};
  const char mark = line.front();
  const std::size_t size = std::min(line.find_first_not_of(mark), line.size());
  std::string_view info = line.substr(size);
  if (mark == '`' && info.contains('`')) return {};
  info.remove_prefix(indent_of(info));
  return {.size = size, .mark = mark, .indent = indent, .language = info.substr(0, info.find(' '))};
}

bool closes(const Fence& fence, std::string_view line) {
  line.remove_prefix(indent_of(line));
  const std::size_t size = std::min(line.find_first_not_of(fence.mark), line.size());
  return size >= fence.size && is_blank(line.substr(size));
}

int heading_level(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 && line.substr(level).starts_with(' ') ? static_cast<int>(level) : 0;
}

std::string_view heading_text(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
  return line.substr(0, line.find_last_not_of("# ") + 1);
}

bool is_rule(std::string_view line) {
  line.remove_prefix(indent_of(line));
  line = line.substr(0, line.find_last_not_of(' ') + 1);
  return line.size() >= 3 && (line.front() == '-' || line.front() == '*') &&
         line.find_first_not_of(line.front()) == std::string_view::npos;
}

ListItem item_of(std::string_view line) {
  ListItem item{.indent = indent_of(line)};
  if (item.indent > 3) return {};
  const std::string_view rest = line.substr(item.indent);
  std::size_t marker = 0;
  if (rest.starts_with("- ") || rest.starts_with("* ") || rest.starts_with("+ ")) {
    marker = 1;
  } else {
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), item.number);
    const auto digits = static_cast<std::size_t>(stop - rest.data());
    if (error != std::errc{} || digits > 9 || !rest.substr(digits).starts_with(". ")) return {};
    item.is_ordered = true;
    marker = digits + 1;
  }
  const std::size_t spaces = indent_of(rest.substr(marker));
  if (spaces == rest.size() - marker) return {};
  item.width = item.indent + marker + (spaces > 4 ? 1 : spaces);
  return item;
}

bool continues_list(const ListItem& first, std::string_view line) {
  const ListItem item = item_of(line);
  return item.width > 0 && item.is_ordered == first.is_ordered && item.indent <= first.indent + 1;
}

ItemLines item_lines(std::span<const std::string_view> lines) {
  const std::size_t width = item_of(lines.front()).width;
  ItemLines item{.lines = {lines.front().substr(width)}, .count = 1};
  bool is_after_blank = false;
  for (; item.count < lines.size(); ++item.count) {
    const std::string_view line = lines[item.count];
    if (is_blank(line)) {
      is_after_blank = true;
      item.lines.push_back({});
    } else if (indent_of(line) >= width) {
      is_after_blank = false;
      item.lines.push_back(line.substr(width));
    } else if (is_after_blank || begins_block(lines.subspan(item.count))) {
      break;
    } else {
      item.lines.push_back(line.substr(indent_of(line)));  // the paragraph goes on, not moved in
    }
  }
  while (item.lines.back().empty() && item.lines.size() > 1) item.lines.pop_back();
  return item;
}

bool has_loose_items(std::span<const std::string_view> lines) {
  const ListItem first = item_of(lines.front());
  std::size_t count = 0;
  while (count < lines.size() && continues_list(first, lines[count])) {
    const ItemLines item = item_lines(lines.subspan(count));
    count += item.count;
    const bool is_last = count >= lines.size() || !continues_list(first, lines[count]);
    if (!is_last && item.count > item.lines.size()) return true;
  }
  return false;
}

bool begins_table(std::span<const std::string_view> lines) {
  if (lines.size() < 2 || !lines[0].contains('|') || !lines[1].contains('|')) return false;
  return lines[1].contains('-') && lines[1].find_first_not_of("|-: ") == std::string_view::npos;
}

bool begins_block(std::span<const std::string_view> lines) {
  const std::string_view line = lines.front();
  return line.starts_with("<!--") || line.starts_with('>') || fence_of(line).size > 0 || heading_level(line) > 0 ||
         is_rule(line) || item_of(line).width > 0 || begins_table(lines);
}

}  // namespace carillon::docs_site
