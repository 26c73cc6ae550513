#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carillon::docs_site {

struct FrameLink {
  std::string address;  // below that of the server, or `#anchor`
  std::string html;     // its text
};

/// What stands around the text of a page.
struct Frame {
  std::string address;             // of the page
  std::string title;               // plain text
  std::string style;               // address of the style sheet
  std::vector<FrameLink> path;     // the pages above it, outermost first
  std::vector<FrameLink> on_page;  // its sections
  std::string group;               // what the pages beside it are
  std::vector<FrameLink> beside;   // among them this one
};

/// A whole document of HTML. It needs no script and no inline style, and every link in it is relative.
[[nodiscard]] std::string framed(const Frame& frame, std::string_view content);

}  // namespace carillon::docs_site
