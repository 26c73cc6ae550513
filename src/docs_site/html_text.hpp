#pragma once

#include <string>
#include <string_view>

namespace carillon::docs_site {

/// A text as it stands in HTML, between tags and in attributes.
[[nodiscard]] std::string escaped(std::string_view text);

/// The anchor of a heading, as GitHub makes it: lower case, without punctuation, with a dash for every space.
[[nodiscard]] std::string slug_of(std::string_view heading);

}  // namespace carillon::docs_site
