#pragma once

#include "docs_site/markdown.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace carillon::docs_site {

/// Renders the table that the lines begin with; returns how many lines it has.
std::size_t render_table(std::span<const std::string_view> lines, const LinkTarget& target_of, std::string& html);

}  // namespace carillon::docs_site
