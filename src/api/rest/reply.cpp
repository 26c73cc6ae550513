#include "api/rest/reply.hpp"

#include "api/rest/entity_tag.hpp"

#include <algorithm>
#include <utility>

namespace carillon::rest {

http::Response response_of(Reply reply) {
  http::Response response{
      .status = reply.status, .headers = std::move(reply.headers), .body = std::move(reply.body), .on_sent = {}};
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(response.headers,
                               [&](const auto& header) { return http::equal_ignoring_case(header.first, name); });
  };
  if (!response.body.empty() && !has("Content-Type")) response.headers.emplace_back("Content-Type", "application/json");
  if (!has("Cache-Control")) response.headers.emplace_back("Cache-Control", "no-store");
  if (!has("X-Content-Type-Options")) response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

Reply unless_known(Reply reply, const http::Request& request) {
  if (reply.status != 200) return reply;
  const auto tag = std::ranges::find_if(reply.headers, [](const auto& header) { return header.first == "ETag"; });
  if (tag == reply.headers.end() || !is_known_already(request, tag->second)) return reply;
  return {.status = 304, .headers = {*tag}};
}

}  // namespace carillon::rest
