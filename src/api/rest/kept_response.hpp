#pragma once

#include "api/http/message.hpp"
#include "api/rest/reply.hpp"
#include "service/repeated_answers.hpp"

#include <optional>
#include <string>

namespace carillon::rest {

/// What a request asks for, as a text: spaces and the order of members in its body make no other request.
[[nodiscard]] std::string request_text(const http::Request& request);

/// An answer as it is kept for a client that sends the request again, and back; none if it is damaged or of another
/// form.
[[nodiscard]] std::string kept_response(const http::Response& response);
[[nodiscard]] std::optional<http::Response> response_from(const std::string& kept);

/// The answer to a request that was carried out before and whose first answer could not be kept.
[[nodiscard]] Reply repeated_reply(const RepeatedAnswer& answer);

}  // namespace carillon::rest
