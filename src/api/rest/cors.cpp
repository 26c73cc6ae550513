#include "api/rest/cors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::rest {

bool is_listed_origin(std::string_view origin, const std::vector<std::string>& allowed) {
  return std::ranges::find(allowed, origin) != allowed.end();
}

bool is_allowed_origin(std::string_view origin, const http::Request& request, const std::vector<std::string>& allowed) {
  if (is_listed_origin(origin, allowed)) return true;
  const auto host = request.headers.find("Host");
  if (!host) return false;
  // A proxy that provides TLS speaks plain HTTP with us, and names the host as the browser does.
  return http::equal_ignoring_case(origin, fmt::format("https://{}", *host)) ||
         (!request.is_tls && http::equal_ignoring_case(origin, fmt::format("http://{}", *host)));
}

bool is_preflight(const http::Request& request) {
  return request.method == http::Method::options && request.headers.contains("Origin") &&
         request.headers.contains("Access-Control-Request-Method");
}

http::Response preflight_response(const std::string& methods) {
  return {.status = 204,
          .headers = {{"Access-Control-Allow-Methods", methods},
                      {"Access-Control-Allow-Headers",
                       "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Range, "
                       "X-Request-Id"},
                      {"Access-Control-Max-Age", "600"},
                      {"Cache-Control", "no-store"}}};
}

// Tokens travel in a header, never in a cookie: credentials are not allowed.
http::HeaderList cors_headers(std::string_view origin) {
  return {{"Access-Control-Allow-Origin", std::string{origin}},
          {"Access-Control-Expose-Headers",
           "ETag, Location, Retry-After, Idempotency-Replayed, X-Request-Id, Carillon-Log-Attempt, "
           "Carillon-Log-Offset, Carillon-Log-Next-Offset, Carillon-Log-End, Carillon-Log-Truncated"},
          {"Vary", "Origin"}};
}

}  // namespace carillon::rest
