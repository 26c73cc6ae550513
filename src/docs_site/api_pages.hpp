#pragma once

#include "base/error.hpp"
#include "docs_site/markdown.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon::docs_site {

struct ApiPage {
  std::string address;
  MarkdownPage content;
};

/// The pages of an OpenAPI file (YAML): `docs/api` lists all operations, `docs/api/<tag>` has those of a tag with their
/// parameters, members, answers, an example and a line for curl, and `docs/api/schemas` has the schemas they name.
[[nodiscard]] Result<std::vector<ApiPage>> render_api(std::string_view yaml);

}  // namespace carillon::docs_site
