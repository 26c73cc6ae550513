#include "api/http/refusal.hpp"

#include <fmt/format.h>

namespace carillon::http {

Response problem_of(int status, std::string_view detail) {
  return Response{.status = status,
                  .headers = {{"Content-Type", "application/problem+json"}, {"X-Content-Type-Options", "nosniff"}},
                  .body = fmt::format(R"({{"type":"about:blank","title":"{}","status":{},"detail":"{}"}})",
                                      reason_of(status), status, detail)};
}

}  // namespace carillon::http
