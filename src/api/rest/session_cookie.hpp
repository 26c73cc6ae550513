#pragma once

#include "api/http/message.hpp"
#include "base/instant.hpp"

#include <string>
#include <string_view>

namespace carillon::rest {

/// The header by which a page of ours shows that it is one: no form and no page of another origin can send it.
inline constexpr std::string_view session_key_header = "Carillon-Session-Key";

/// The value of the cookie of this name; empty if the request has none.
[[nodiscard]] std::string_view cookie_in(const http::Request& request, std::string_view name);

/// A `Set-Cookie` that keeps the text from scripts and from requests of other sites. An empty text with no time left
/// removes it.
[[nodiscard]] std::string session_cookie(const http::Request& request, std::string_view name, std::string_view text,
                                         Duration time_left);

}  // namespace carillon::rest
