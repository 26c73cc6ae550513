#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::docs_site {

struct Heading {
  int level = 1;  // 1 to 6
  std::string anchor;
  std::string text;  // without markup
};

/// A page of Markdown as HTML, without the frame around it.
struct MarkdownPage {
  std::string title;  // plain text of its first heading
  std::string html;
  std::vector<Heading> headings;
};

/// The address behind a link or an image, given as the page writes it; none if nothing that is served stands there.
using LinkTarget = std::function<std::optional<std::string>(std::string_view)>;

/// Renders what our pages use of CommonMark and GitHub's tables: headings, paragraphs, lists, fenced and indented code,
/// tables, quotes, rules, emphasis, code, links and images. HTML is text, except for comments, which are left out. A
/// link without a target is shown as its text. Any input gives a page; nothing of it becomes markup that is not
/// rendered here.
[[nodiscard]] MarkdownPage render_markdown(std::string_view text, const LinkTarget& target_of);

}  // namespace carillon::docs_site
