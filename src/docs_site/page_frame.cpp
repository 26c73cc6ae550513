#include "docs_site/page_frame.hpp"

#include "docs_site/address.hpp"
#include "docs_site/html_text.hpp"

#include <fmt/format.h>

namespace carillon::docs_site {
namespace {

std::string link_to(const Frame& frame, const FrameLink& link) {
  if (link.address == frame.address) return fmt::format("<span aria-current=\"page\">{}</span>", link.html);
  const std::string href = link.address.starts_with('#') ? link.address : way(frame.address, link.address);
  return fmt::format("<a href=\"{}\">{}</a>", escaped(href), link.html);
}

std::string list_of(const Frame& frame, std::string_view name, const std::vector<FrameLink>& links) {
  if (links.empty()) return {};
  std::string html = fmt::format("<nav aria-label=\"{0}\"><h2>{0}</h2><ul>\n", escaped(name));
  for (const FrameLink& link : links) html += fmt::format("<li>{}</li>\n", link_to(frame, link));
  return html + "</ul></nav>\n";
}

std::string path_html(const Frame& frame) {
  if (frame.path.empty()) return {};
  std::string html = "<nav class=\"path\" aria-label=\"Path\"><ol>";
  for (const FrameLink& link : frame.path) html += fmt::format("<li>{}</li>", link_to(frame, link));
  return html + "</ol></nav>\n";
}

}  // namespace

std::string framed(const Frame& frame, std::string_view content) {
  const bool is_first = frame.address == "docs";
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}{}</title>\n<link rel=\"stylesheet\" "
      "href=\"{}\">\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the text</a>\n"
      "<header><nav aria-label=\"carillon\"><a class=\"brand\" href=\"{}\">carillon</a> {} {}</nav></header>\n"
      "<div class=\"page\">\n<main id=\"content\" tabindex=\"-1\">\n{}{}</main>\n<aside>\n{}{}</aside>\n</div>\n"
      "</body>\n</html>\n",
      escaped(frame.title), is_first ? " of carillon" : " · carillon", escaped(way(frame.address, frame.style)),
      way(frame.address, ""), link_to(frame, {.address = "docs", .html = "Documentation"}),
      link_to(frame, {.address = "docs/api", .html = "API"}), path_html(frame), content,
      list_of(frame, "On this page", frame.on_page), list_of(frame, frame.group, frame.beside));
}

}  // namespace carillon::docs_site
