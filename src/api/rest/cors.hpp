#pragma once

#include "api/http/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon::rest {

/// Whether a page of this origin may call us: our own pages, and those that were allowed.
[[nodiscard]] bool is_allowed_origin(std::string_view origin, const http::Request& request,
                                     const std::vector<std::string>& allowed);

/// Whether it is one of those that were allowed. Our own pages need no leave of ours to read an answer.
[[nodiscard]] bool is_listed_origin(std::string_view origin, const std::vector<std::string>& allowed);

/// Whether a browser asks what a page of another origin may do.
[[nodiscard]] bool is_preflight(const http::Request& request);

/// What it is told: the methods of the address, and the headers that requests here may have.
[[nodiscard]] http::Response preflight_response(const std::string& methods);

/// What every answer to a page of an allowed origin has, so that the page may read it.
[[nodiscard]] http::HeaderList cors_headers(std::string_view origin);

}  // namespace carillon::rest
