#include "api/rest/call.hpp"

#include "document/document.hpp"
#include "document/json_pointer.hpp"

#include <boost/json/object.hpp>

#include <utility>

namespace carillon::rest {

Served<boost::json::value> Call::body() const {
  if (request.body.empty()) return boost::json::value(boost::json::object{});
  auto parsed = parse_json(request.body);
  if (!parsed)
    return refuse(Refusal::Kind::malformed, "malformed_json", "the body is not JSON: {}", parsed.error().message);
  return *std::move(parsed);
}

void refuse_nulls(const boost::json::value& body, const std::string& pointer, Problems& problems) {
  if (!body.is_object()) return;
  for (const auto& [key, value] : body.get_object()) {
    if (!value.is_null()) continue;
    std::string place = pointer;
    append_key(place, key);
    problems.push_back({.pointer = std::move(place),
                        .code = "wrong-type",
                        .message = "null is not allowed here",
                        .hint = "leave the member out, or give it a value",
                        .position = {}});
  }
}

}  // namespace carillon::rest
