#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon::docs_site {

/// A file of the repository, by its path from the top.
struct SourceFile {
  std::string path;
  std::string bytes;
};

struct SiteSources {
  std::vector<SourceFile> pages;   // Markdown
  std::vector<SourceFile> images;  // PNG
  std::string description;         // the OpenAPI file, YAML
  std::string style;               // CSS
};

/// A file as it is served.
struct SiteFile {
  std::string path;  // below the address of the server, without a slash before it
  std::string type;  // media type
  std::string bytes;
};

/// The documentation as pages: each Markdown file at its address (`address.hpp`), `docs/api` and what is below it from
/// the description, and what they need below `docs/assets`, with names that change with their content. A link between
/// pages leads to the page, one to another file of the repository is shown as text. Fails if the description cannot be
/// read, or a link names a heading or a page of docs that is not there.
[[nodiscard]] Result<std::vector<SiteFile>> build_site(const SiteSources& sources);

}  // namespace carillon::docs_site
