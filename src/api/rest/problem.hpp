#pragma once

#include "api/http/message.hpp"
#include "service/refusal.hpp"

#include <string_view>

namespace carillon::rest {

/// A refusal as `application/problem+json` (RFC 9457).
[[nodiscard]] http::Response problem_response(const Refusal& refusal);

/// What the HTTP server refuses before anybody has looked at it.
[[nodiscard]] http::Response problem_response(int status, std::string_view detail);

[[nodiscard]] int status_of(Refusal::Kind kind);

}  // namespace carillon::rest
