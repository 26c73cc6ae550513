#pragma once

#include "docs_site/markdown.hpp"

#include <string>
#include <string_view>

namespace carillon::docs_site {

/// The text of a paragraph, a heading or a cell as HTML.
[[nodiscard]] std::string render_inline(std::string_view text, const LinkTarget& target_of);

/// The same without any markup.
[[nodiscard]] std::string plain_inline(std::string_view text);

}  // namespace carillon::docs_site
