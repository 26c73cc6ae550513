#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/action.hpp"
#include "definitions/secret_references.hpp"
#include "ports/executor.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon {

/// Largest body that is sent, templates filled in.
inline constexpr std::size_t request_body_size_max = 4 * 1024 * 1024;

/// A request, ready to be sent.
struct HttpRequest {
  std::string method;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::string> body;
  std::vector<StatusRange> success_codes;
  std::vector<std::string> secrets;  // what must not be shown, wherever it turns up
};

/// Fills in templates and secrets, and signs. Headers that identify the attempt are carillon's own and win over those
/// of the action; a User-Agent or Content-Type of the action wins over ours. GET and HEAD without a body are sent
/// without one, as many servers refuse it. Errors name what is wrong and never show a secret.
[[nodiscard]] Result<HttpRequest> prepare_request(const HttpAction& action, const Envelope& envelope,
                                                  const SecretResolver& resolve, std::string_view user_agent,
                                                  Instant now);

}  // namespace carillon
