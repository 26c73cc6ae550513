#include "api/http/server_state.hpp"

#include "api/http/refusal.hpp"
#include "api/http/response_text.hpp"

#include <exception>
#include <utility>

namespace carillon::http {
namespace {

ConnectionLimits connection_limits(const Limits& limits) {
  return {.connection_count_max = limits.connection_count_max,
          .connection_count_per_address_max = limits.connection_count_per_address_max,
          .stream_count_max = limits.stream_count_max,
          .stream_count_per_address_max = limits.stream_count_per_address_max};
}

}  // namespace

ServerState::ServerState(ServerOptions server_options, Handler request_handler, Log& server_log,
                         std::shared_ptr<const TlsContext> tls)
    : options{std::move(server_options)},
      handler{std::move(request_handler)},
      log{server_log},
      connections{connection_limits(options.limits)},
      tls_{std::move(tls)} {}

Response ServerState::refusal(int status, std::string_view detail) const {
  Response response = described(status, detail);
  if (!is_sendable(response.status, response.headers)) response = problem_of(status, detail);
  response.close = true;
  return response;
}

Response ServerState::described(int status, std::string_view detail) const {
  if (!options.describe_refusal) return problem_of(status, detail);
  try {
    return options.describe_refusal(status, detail);
  } catch (const std::exception& exception) {
    log.error("refusal could not be described", {{"status", status}, {"error", exception.what()}});
    return problem_of(status, detail);
  }
}

std::shared_ptr<const TlsContext> ServerState::tls() const {
  const std::lock_guard lock{mutex_};
  return tls_;
}

void ServerState::replace_tls(std::shared_ptr<const TlsContext> tls) {
  const std::lock_guard lock{mutex_};
  tls_ = std::move(tls);
}

}  // namespace carillon::http
