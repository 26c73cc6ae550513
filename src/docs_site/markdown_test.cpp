#include "docs_site/markdown.hpp"

#include <gtest/gtest.h>

#include <string>

namespace carillon::docs_site {
namespace {

std::string html_of(std::string_view text) {
  return render_markdown(text,
                         [](std::string_view link) -> std::optional<std::string> {
                           if (link == "gone.md") return std::nullopt;
                           return "to/" + std::string{link};
                         })
      .html;
}

TEST(DocsMarkdown, a_paragraph_goes_on_over_lines) {
  EXPECT_EQ(html_of("one\ntwo\n\nthree"), "<p>one\ntwo</p>\n<p>three</p>\n");
}

TEST(DocsMarkdown, a_heading_has_the_anchor_that_links_use) {
  const auto page = render_markdown("# The `why` of it\n\n## Same\n\n## Same\n", [](auto) { return std::nullopt; });

  EXPECT_EQ(page.title, "The why of it");
  ASSERT_EQ(page.headings.size(), 3U);
  EXPECT_EQ(page.headings[0].anchor, "the-why-of-it");
  EXPECT_EQ(page.headings[2].anchor, "same-1");
  EXPECT_TRUE(page.html.starts_with("<h1 id=\"the-why-of-it\">The <code>why</code> of it</h1>"));
}

TEST(DocsMarkdown, nothing_in_a_page_becomes_markup_of_its_own) {
  EXPECT_EQ(html_of("<script>alert(1)</script>"), "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
  EXPECT_EQ(html_of("`<b>`"), "<p><code>&lt;b&gt;</code></p>\n");
  EXPECT_EQ(html_of("[x](\"onclick=)"), "<p><a href=\"to/&quot;onclick=\">x</a></p>\n");
}

TEST(DocsMarkdown, emphasis_and_code_stand_inside_each_other) {
  EXPECT_EQ(html_of("**a `*` b** and *c*"), "<p><strong>a <code>*</code> b</strong> and <em>c</em></p>\n");
  EXPECT_EQ(html_of("2 * 3 * 4"), "<p>2 * 3 * 4</p>\n");
  EXPECT_EQ(html_of("\\*not\\*"), "<p>*not*</p>\n");
  EXPECT_EQ(html_of("``a ` b``"), "<p><code>a ` b</code></p>\n");
}

TEST(DocsMarkdown, links_and_images_lead_where_they_are_served) {
  EXPECT_EQ(html_of("[a `b`](c.md#d)"), "<p><a href=\"to/c.md#d\">a <code>b</code></a></p>\n");
  EXPECT_EQ(html_of("![alt *x*](i.png)"), "<p><img src=\"to/i.png\" alt=\"alt x\" loading=\"lazy\"></p>\n");
  EXPECT_EQ(html_of("[a](gone.md)"), "<p><span class=\"source\" title=\"gone.md in the source tree\">a</span></p>\n");
  EXPECT_EQ(html_of("<https://x.example>"), "<p><a href=\"https://x.example\">https://x.example</a></p>\n");
}

TEST(DocsMarkdown, code_is_kept_as_it_is) {
  EXPECT_EQ(html_of("```yaml\na: <b>\n\n  c: 1\n```\n"),
            "<pre tabindex=\"0\" data-language=\"yaml\"><code>a: &lt;b&gt;\n\n  c: 1\n</code></pre>\n");
  EXPECT_EQ(html_of("    a\n\n      b\n\nc"), "<pre tabindex=\"0\"><code>a\n\n  b\n</code></pre>\n<p>c</p>\n");
}

TEST(DocsMarkdown, lists_hold_paragraphs_code_and_lists) {
  EXPECT_EQ(html_of("- a\n  b\n- c\n"), "<ul>\n<li>a\nb\n</li>\n<li>c\n</li>\n</ul>\n");
  EXPECT_EQ(html_of("1. a\n   - b\n2. c\n"), "<ol>\n<li>a\n<ul>\n<li>b\n</li>\n</ul>\n</li>\n<li>c\n</li>\n</ol>\n");
  EXPECT_EQ(html_of("- a\n\n- b\n"), "<ul>\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n</ul>\n");
  EXPECT_EQ(html_of("- a:\n\n  ```\n  x\n  ```\n"),
            "<ul>\n<li>a:\n<pre tabindex=\"0\"><code>x\n</code></pre>\n</li>\n</ul>\n");
}

TEST(DocsMarkdown, a_table_may_have_no_head_and_bars_in_its_cells) {
  EXPECT_EQ(
      html_of("| a | n |\n|---|--:|\n| `x\\|y` | 1 |\n"),
      "<div class=\"table\" tabindex=\"0\"><table>\n<thead><tr><th>a</th><th class=\"number\">n</th></tr>\n</thead>\n"
      "<tbody>\n<tr><td><code>x|y</code></td><td class=\"number\">1</td></tr>\n</tbody></table></div>\n");
  EXPECT_FALSE(html_of("| | |\n|---|---|\n| a | b |\n").contains("<thead>"));
}

TEST(DocsMarkdown, comments_are_left_out) {
  EXPECT_EQ(html_of("<!-- not run:\nwhy -->\n\na <!-- b --> c"), "<p>a  c</p>\n");
}

TEST(DocsMarkdown, any_text_ends) {
  for (const std::string_view text :
       {"```", "- ", "-", "1.", "[", "![](", "**", "|", "|\n|-", ">", "<!--", "`", "\\", "    "})
    for (const std::string_view after : {"", "\n", "\nx", "\n\n- y\n    z"})
      static_cast<void>(html_of(std::string{text} + std::string{after}));
}

}  // namespace
}  // namespace carillon::docs_site
