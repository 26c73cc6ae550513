#pragma once

#include <string>
#include <string_view>

namespace carillon::rest {

/// The password of an `Authorization: Basic` header (RFC 7617); empty if the header is something else.
[[nodiscard]] std::string basic_password(std::string_view header);

}  // namespace carillon::rest
