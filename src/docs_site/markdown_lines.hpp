#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace carillon::docs_site {

// What kind of block a line of Markdown begins.

[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);
[[nodiscard]] bool is_blank(std::string_view line);
/// How many spaces it begins with.
[[nodiscard]] std::size_t indent_of(std::string_view line);

/// The line that opens a block of code: ```yaml
struct Fence {
  std::size_t size = 0;  // how many marks; 0: it opens none
  char mark = '`';
  std::size_t indent = 0;
  std::string_view language{};
};
[[nodiscard]] Fence fence_of(std::string_view line);
[[nodiscard]] bool closes(const Fence& fence, std::string_view line);

/// 1 to 6; 0 if it is no heading.
[[nodiscard]] int heading_level(std::string_view line);
[[nodiscard]] std::string_view heading_text(std::string_view line);

[[nodiscard]] bool is_rule(std::string_view line);

/// The first line of an item of a list.
struct ListItem {
  std::size_t width = 0;  // of what stands before its text; 0: it is none
  std::size_t indent = 0;
  bool is_ordered = false;
  int number = 0;
};
[[nodiscard]] ListItem item_of(std::string_view line);
/// Whether a line begins another item of the list that `first` begins.
[[nodiscard]] bool continues_list(const ListItem& first, std::string_view line);

/// What an item contains, moved to the left edge, and how many lines of the list it takes, blank ones behind it too.
struct ItemLines {
  std::vector<std::string_view> lines;
  std::size_t count = 0;
};
[[nodiscard]] ItemLines item_lines(std::span<const std::string_view> lines);
/// Whether blank lines stand between or inside the items of the list that the lines begin with.
[[nodiscard]] bool has_loose_items(std::span<const std::string_view> lines);

[[nodiscard]] bool begins_table(std::span<const std::string_view> lines);
/// Whether anything but a paragraph begins here.
[[nodiscard]] bool begins_block(std::span<const std::string_view> lines);

}  // namespace carillon::docs_site
