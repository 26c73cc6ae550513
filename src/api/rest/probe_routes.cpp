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

// For strangers too, who learn no version from it.
Served<Reply> get_index(Call& call) {
  TRY(call.parameters.finish());
  return Reply{.body = json::serialize(json::object{{"name", "carillon"},
                                                    {"links", json::object{{"api", "/api/v1"},
                                                                           {"description", "/openapi.json"},
                                                                           {"live", "/livez"},
                                                                           {"ready", "/readyz"},
                                                                           {"metrics", "/metrics"}}}})};
}

// Answered where it came in, and without the store: it has to say so when everything else is stuck.
Served<Reply> get_livez(Call& call) {
  TRY(call.parameters.finish());
  const auto stalled = call.probes.stalled();
  return told(stalled.empty() ? 200 : 503, stalled.empty() ? "ok" : "stalled: " + to_text(stalled));
}

// This answers anybody, so the reason names no files; the log has the rest.
Served<Reply> get_readyz(Call& call) {
  TRY(call.parameters.finish());
  const auto reason = call.probes.unreadiness();
  if (!reason) return told(200, "ok");
  return Reply{.status = 503, .body = json::serialize(json::object{{"status", "not ready"}, {"reason", *reason}})};
}

Served<Reply> get_version(Call& call) {
  TRY(call.parameters.finish());
  return Reply{
      .body = json::serialize(json::object{
          {"version", call.probes.version}, {"tzdata", call.application.system().tzdata_version()}, {"api", "v1"}})};
}

Served<Reply> get_metrics(Call& call) {
  TRY(call.parameters.finish());
  TRY(call.caller.expect_all_namespaces());
  return Reply{.body = call.probes.metrics(),
               .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}};
}

Served<Reply> get_openapi(Call& call) {
  TRY(call.parameters.finish());
  return Reply{.body = std::string{openapi_text()}};
}

}  // namespace carillon::rest
