#include "api/rest/routes.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace carillon::rest {
namespace {

namespace json = boost::json;

Reply told(int status, std::string_view word) {
  return {.status = status, .body = json::serialize(json::object{{"status", word}})};
}

}  // namespace

Served<Reply> get_livez(Call& call) {
  const bool is_alive = call.services.probes.is_alive();
  return told(is_alive ? 200 : 503, is_alive ? "ok" : "the loop stands still");
}

// Why is for the log: this answers anybody.
Served<Reply> get_readyz(Call& call) {
  const bool is_ready = !call.services.probes.unreadiness();
  return told(is_ready ? 200 : 503, is_ready ? "ok" : "not ready");
}

Served<Reply> get_version(Call& call) {
  return Reply{.body = json::serialize(json::object{{"version", call.services.probes.version},
                                                    {"tzdata", call.services.parts.zones.names()->version},
                                                    {"api", "v1"}})};
}

Served<Reply> get_metrics(Call& call) {
  if (call.caller.name_space)
    return refuse(Refusal::Kind::forbidden, "forbidden", "this token is bound to one namespace");
  return Reply{.body = call.services.probes.metrics(),
               .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}};
}

Served<Reply> get_openapi(Call&) { return Reply{.body = std::string{openapi_text()}}; }

}  // namespace carillon::rest
