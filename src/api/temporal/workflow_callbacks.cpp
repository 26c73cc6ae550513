#include "api/temporal/workflow_callbacks.hpp"

#include "definitions/workflow_callback.hpp"

namespace carillon::temporal {

std::optional<http::Response> WorkflowCallbacks::answer(const http::Request& request) const {
  if (request.path() != workflow_callback_path) return std::nullopt;
  if (request.method != http::Method::post) return http::Response{.status = 405, .headers = {{"Allow", "POST"}}};
  const auto attempt = request.headers.find(workflow_callback_attempt_header);
  const auto key = request.headers.find(workflow_callback_key_header);
  // A cluster does not repeat what was refused in this way.
  if (!attempt || !key || !take_(*attempt, *key)) return http::Response{.status = 401};
  return http::Response{};
}

}  // namespace carillon::temporal
