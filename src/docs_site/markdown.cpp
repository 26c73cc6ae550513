#include "docs_site/markdown.hpp"

#include "docs_site/html_text.hpp"
#include "docs_site/markdown_inline.hpp"
#include "docs_site/markdown_lines.hpp"
#include "docs_site/markdown_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>

namespace carillon::docs_site {
namespace {

using Lines = std::span<const std::string_view>;

/// Whether paragraphs inside a list item stand alone, without space around them.
enum class Spacing { loose, tight };

class BlockRenderer {
 public:
  explicit BlockRenderer(const LinkTarget& target_of) : target_of_{target_of} {}

  void render(Lines lines, Spacing spacing) {
    while (!lines.empty()) lines = lines.subspan(render_block(lines, spacing));
  }

  MarkdownPage take() { return std::move(page_); }

 private:
  /// Renders the block that the lines begin with; returns how many it has.
  std::size_t render_block(Lines lines, Spacing spacing) {
    const std::string_view line = lines.front();
    if (is_blank(line)) return 1;
    if (line.starts_with("<!--")) return comment_size(lines);
    if (fence_of(line).size > 0) return render_fence(lines);
    if (heading_level(line) > 0) return render_heading(line);
    if (is_rule(line)) return render_rule();
    if (begins_table(lines)) return render_table(lines, target_of_, page_.html);
    if (line.starts_with('>')) return render_quote(lines);
    if (item_of(line).width > 0) return render_list(lines);
    if (line.starts_with("    ")) return render_indented_code(lines);
    return render_paragraph(lines, spacing);
  }

  static std::size_t comment_size(Lines lines) {
    const auto end = std::ranges::find_if(lines, [](std::string_view line) { return line.contains("-->"); });
    return end == lines.end() ? lines.size() : static_cast<std::size_t>(end - lines.begin()) + 1;
  }

  std::size_t render_fence(Lines lines) {
    const Fence fence = fence_of(lines.front());
    std::size_t count = 1;
    std::string code;
    for (; count < lines.size() && !closes(fence, lines[count]); ++count) {
      std::string_view line = lines[count];
      line.remove_prefix(std::min(fence.indent, indent_of(line)));
      code.append(line).push_back('\n');
    }
    write_code(code, fence.language);
    return std::min(count + 1, lines.size());
  }

  std::size_t render_indented_code(Lines lines) {
    std::size_t count = 0;
    std::string code;
    for (std::size_t i = 0; i < lines.size() && (is_blank(lines[i]) || lines[i].starts_with("    ")); ++i)
      if (!is_blank(lines[i])) count = i + 1;
    for (const std::string_view line : lines.first(count))
      code.append(line.substr(std::min<std::size_t>(4, line.size()))).push_back('\n');
    write_code(code, {});
    return count;
  }

  // A wide block scrolls, and what scrolls must be reachable by keyboard.
  void write_code(std::string_view code, std::string_view language) {
    page_.html +=
        fmt::format("<pre tabindex=\"0\"{}><code>{}</code></pre>\n",
                    language.empty() ? "" : fmt::format(" data-language=\"{}\"", escaped(language)), escaped(code));
  }

  std::size_t render_heading(std::string_view line) {
    const int level = heading_level(line);
    const std::string_view text = heading_text(line);
    std::string plain = plain_inline(text);
    if (page_.title.empty()) page_.title = plain;
    std::string anchor = slug_of(plain);
    if (const int count = anchor_counts_[anchor]++; count > 0) anchor += fmt::format("-{}", count);
    page_.html += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", level, escaped(anchor), render_inline(text, target_of_));
    page_.headings.push_back({.level = level, .anchor = std::move(anchor), .text = std::move(plain)});
    return 1;
  }

  std::size_t render_rule() {
    page_.html += "<hr>\n";
    return 1;
  }

  std::size_t render_quote(Lines lines) {
    std::vector<std::string_view> inside;
    for (const std::string_view line : lines) {
      if (!line.starts_with('>')) break;
      inside.push_back(line.substr(line.starts_with("> ") ? 2 : 1));
    }
    page_.html += "<blockquote>\n";
    render(inside, Spacing::loose);
    page_.html += "</blockquote>\n";
    return inside.size();
  }

  std::size_t render_list(Lines lines) {
    const ListItem first = item_of(lines.front());
    const std::string_view tag = first.is_ordered ? "ol" : "ul";
    const Spacing spacing = has_loose_items(lines) ? Spacing::loose : Spacing::tight;
    page_.html += first.is_ordered && first.number != 1 ? fmt::format("<ol start=\"{}\">\n", first.number)
                                                        : fmt::format("<{}>\n", tag);
    std::size_t count = 0;
    while (count < lines.size() && continues_list(first, lines[count])) {
      const ItemLines item = item_lines(lines.subspan(count));
      page_.html += "<li>";
      render(item.lines, spacing);
      page_.html += "</li>\n";
      count += item.count;
    }
    page_.html += fmt::format("</{}>\n", tag);
    return count;
  }

  std::size_t render_paragraph(Lines lines, Spacing spacing) {
    std::size_t count = 1;
    while (count < lines.size() && !is_blank(lines[count]) && !begins_block(lines.subspan(count))) ++count;
    std::string text;
    for (std::string_view line : lines.first(count)) {
      line.remove_prefix(indent_of(line));
      if (!text.empty()) text += '\n';
      text += line.substr(0, line.find_last_not_of(' ') + 1);
    }
    const std::string html = render_inline(text, target_of_);
    page_.html += spacing == Spacing::tight ? html + "\n" : fmt::format("<p>{}</p>\n", html);
    return count;
  }

  const LinkTarget& target_of_;
  MarkdownPage page_;
  std::map<std::string, int> anchor_counts_;
};

}  // namespace

MarkdownPage render_markdown(std::string_view text, const LinkTarget& target_of) {
  BlockRenderer renderer{target_of};
  renderer.render(lines_of(text), Spacing::loose);
  return renderer.take();
}

}  // namespace carillon::docs_site
