#pragma once

#include "api/http/message.hpp"

#include <string>

namespace carillon::rest {

/// What a request is called in its answer, in problems and in the log: the `X-Request-Id` it brings, if that is 1 to
/// 128 letters, digits, `.`, `_` or `-`, else a new one.
[[nodiscard]] std::string request_id_of(const http::Request& request);

/// Puts the id into an answer, and into the problem it may be.
void add_request_id(http::Response& response, const std::string& id);

}  // namespace carillon::rest
