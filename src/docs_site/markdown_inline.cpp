#include "docs_site/markdown_inline.hpp"

#include "docs_site/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace carillon::docs_site {
namespace {

constexpr std::string_view ascii_punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

std::size_t run_length(std::string_view text, char c) { return std::min(text.find_first_not_of(c), text.size()); }

/// The code span that a text begins with: its whole length, and what stands between the backticks.
struct CodeSpan {
  std::size_t size = 0;  // 0: there is none
  std::string_view content{};
};

CodeSpan code_span(std::string_view text) {
  const std::size_t fence = run_length(text, '`');
  if (fence == 0) return {};
  for (std::size_t at = fence; (at = text.find('`', at)) != std::string_view::npos;) {
    const std::size_t run = run_length(text.substr(at), '`');
    if (run == fence) return {.size = at + fence, .content = text.substr(fence, at - fence)};
    at += run;
  }
  return {};
}

std::string code_html(std::string_view content) {
  const bool is_padded = content.size() > 2 && content.starts_with(' ') && content.ends_with(' ');
  std::string text{is_padded ? content.substr(1, content.size() - 2) : content};
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("<code>{}</code>", escaped(text));
}

/// Where the bracket that a text begins with is closed; npos if it is not. Brackets in code do not count.
std::size_t closing_bracket(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (const CodeSpan code = code_span(text.substr(at)); code.size > 0) {
      at += code.size - 1;
    } else if (text[at] == '[') {
      ++depth;
    } else if (text[at] == ']' && --depth == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

/// `[label](target)` at the begin of a text.
struct Link {
  std::size_t size = 0;  // 0: there is none
  std::string_view label{};
  std::string_view target{};
};

Link link_at(std::string_view text) {
  if (!text.starts_with('[')) return {};
  const std::size_t close = closing_bracket(text);
  if (close == std::string_view::npos || !text.substr(close + 1).starts_with('(')) return {};
  const std::size_t end = text.find(')', close);
  if (end == std::string_view::npos) return {};
  const std::string_view target = text.substr(close + 2, end - close - 2);
  if (target.empty() || target.find_first_of(" \n") != std::string_view::npos) return {};
  return {.size = end + 1, .label = text.substr(1, close - 1), .target = target};
}

/// Where the emphasis that begins with `mark` ends, as the place of its closing mark; npos if it does not.
std::size_t closing_mark(std::string_view text, std::string_view mark) {
  if (text.size() <= mark.size() || text[mark.size()] == ' ' || text[mark.size()] == '\n')
    return std::string_view::npos;
  for (std::size_t at = mark.size(); at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (const CodeSpan code = code_span(text.substr(at)); code.size > 0) {
      at += code.size - 1;
    } else if (text.substr(at).starts_with(mark) && at > mark.size() && text[at - 1] != ' ') {
      const std::size_t run = run_length(text.substr(at), '*');
      if (run == mark.size()) return at;
      at += run - 1;
    }
  }
  return std::string_view::npos;
}

class InlineRenderer {
 public:
  explicit InlineRenderer(const LinkTarget& target_of) : target_of_{target_of} {}

  std::string render(std::string_view text) {
    std::string html;
    while (!text.empty()) text.remove_prefix(render_next(text, html));
    return html;
  }

 private:
  /// Renders what a text begins with; returns its length.
  std::size_t render_next(std::string_view text, std::string& html) {
    switch (text.front()) {
      case '\\':
        if (text.size() > 1 && ascii_punctuation.contains(text[1])) {
          html += escaped(text.substr(1, 1));
          return 2;
        }
        break;
      case '`':
        if (const CodeSpan code = code_span(text); code.size > 0) {
          html += code_html(code.content);
          return code.size;
        }
        html.append(run_length(text, '`'), '`');
        return run_length(text, '`');
      case '!':
        if (const Link image = link_at(text.substr(1)); image.size > 0) {
          html += image_html(image);
          return image.size + 1;
        }
        break;
      case '[':
        if (const Link link = link_at(text); link.size > 0) {
          html += link_html(link);
          return link.size;
        }
        break;
      case '<':
        if (const std::size_t size = render_angle(text, html); size > 0) return size;
        break;
      case '*':
        if (const std::size_t size = render_emphasis(text, html); size > 0) return size;
        break;
      default: break;
    }
    html += escaped(text.substr(0, 1));
    return 1;
  }

  static std::size_t render_angle(std::string_view text, std::string& html) {
    if (text.starts_with("<!--")) {
      const std::size_t end = text.find("-->");
      return end == std::string_view::npos ? text.size() : end + 3;
    }
    const std::size_t end = text.find('>');
    const std::string_view inside = text.substr(1, end == std::string_view::npos ? 0 : end - 1);
    if (!inside.starts_with("https://") && !inside.starts_with("http://")) return 0;
    html += fmt::format("<a href=\"{0}\">{0}</a>", escaped(inside));
    return end + 1;
  }

  std::size_t render_emphasis(std::string_view text, std::string& html) {
    const std::string_view mark = text.starts_with("**") ? "**" : "*";
    const std::size_t end = closing_mark(text, mark);
    if (end == std::string_view::npos) return 0;
    const std::string_view tag = mark.size() == 2 ? "strong" : "em";
    html += fmt::format("<{0}>{1}</{0}>", tag, render(text.substr(mark.size(), end - mark.size())));
    return end + mark.size();
  }

  std::string link_html(const Link& link) {
    const std::string label = render(link.label);
    if (const auto target = target_of_(link.target))
      return fmt::format("<a href=\"{}\">{}</a>", escaped(*target), label);
    return fmt::format("<span class=\"source\" title=\"{} in the source tree\">{}</span>", escaped(link.target), label);
  }

  std::string image_html(const Link& image) {
    const std::string text = escaped(plain_inline(image.label));
    if (const auto target = target_of_(image.target))
      return fmt::format("<img src=\"{}\" alt=\"{}\" loading=\"lazy\">", escaped(*target), text);
    return text;
  }

  const LinkTarget& target_of_;
};

}  // namespace

std::string render_inline(std::string_view text, const LinkTarget& target_of) {
  return InlineRenderer{target_of}.render(text);
}

std::string plain_inline(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (const CodeSpan code = code_span(text); code.size > 0) {
      plain += code.content;
      text.remove_prefix(code.size);
    } else if (const Link link = link_at(text); link.size > 0) {
      plain += plain_inline(link.label);
      text.remove_prefix(link.size);
    } else {
      if (text.front() != '*') plain += text.front();
      text.remove_prefix(1);
    }
  }
  return plain;
}

}  // namespace carillon::docs_site
