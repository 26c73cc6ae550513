#pragma once

#include "docs_site/site.hpp"

#include <span>
#include <string>

namespace carillon::docs_site {

/// The files as one pack, as `api/pages` reads it: a list, an empty line, then the bytes of each file, plain and
/// compressed. What compression makes hardly smaller, as images, has no
/// compressed bytes.
[[nodiscard]] std::string pack_of(std::span<const SiteFile> files);

}  // namespace carillon::docs_site
