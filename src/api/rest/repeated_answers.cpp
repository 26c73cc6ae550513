#include "api/rest/repeated_answers.hpp"

#include "api/rest/documents.hpp"
#include "api/rest/entity_tag.hpp"
#include "base/crypto.hpp"
#include "document/document.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace carillon::rest {
namespace {

namespace json = boost::json;

json::value with_sorted_members(const json::value& value) {
  if (value.is_array()) {
    json::array items;
    for (const json::value& item : value.get_array()) items.push_back(with_sorted_members(item));
    return items;
  }
  if (!value.is_object()) return value;
  std::vector<std::string_view> keys;
  for (const auto& member : value.get_object()) keys.push_back(member.key());
  std::ranges::sort(keys);
  json::object members;
  for (const std::string_view key : keys) members.emplace(key, with_sorted_members(value.get_object().at(key)));
  return members;
}

std::string canonical_body(const std::string& body) {
  const auto parsed = parse_json(body);
  return parsed ? json::serialize(with_sorted_members(*parsed)) : body;
}

Reply schedule_reply(int status, const ScheduleAnswer& answer) {
  Reply reply{.status = status, .body = schedule_text(answer, {})};
  reply.headers.emplace_back("ETag", entity_tag(answer.record.view.state, reply.body));
  if (status == 201) reply.headers.emplace_back("Location", location_of(answer.record.key, ""));
  return reply;
}

Served<Reply> repeated_schedule(Call& call, std::string_view operation, const IdempotencyRecord& record) {
  const auto answer = call.services.schedules.get(call.caller, record.uid);
  if (!answer) {
    Refusal gone = answer.error();
    gone.hint = "this request was carried out; the schedule has been deleted since";
    return std::unexpected(std::move(gone));
  }
  // What a PUT has made has had no other revision, unless it was changed since.
  const bool is_new =
      operation == "createSchedule" || (operation == "putSchedule" && answer->record.view.state.revision == 1);
  return schedule_reply(is_new ? 201 : 200, *answer);
}

Served<Reply> repeated_start(Call& call, std::string_view operation, const IdempotencyRecord& record) {
  if (record.decisions.empty())
    return refuse(Refusal::Kind::unavailable, "unavailable", "it was done, but its run is not known; look at the runs");
  RunAnswer run = TRY(call.services.runs.read(call.caller, record.decisions.back()));
  if (operation != "createJob") return Reply{.status = 202, .body = trigger_text({.run = std::move(run)})};
  const std::string location = "/api/v1/jobs/" + run.id;
  return Reply{.status = 201, .body = json::serialize(run_document(run)), .headers = {{"Location", location}}};
}

Served<Reply> repeated_backfill(Call& call, std::string_view operation) {
  const ScheduleName name = call.schedule();
  const bool is_new = operation == "createBackfill";
  const std::string id = is_new ? backfill_id_of(call.terms.key) : call.ids.at(1);
  const BackfillAnswer answer = TRY(call.services.backfills.get(call.caller, name, id));
  Reply reply{.status = is_new ? 201 : 200, .body = json::serialize(backfill_document(answer))};
  if (is_new)
    reply.headers.emplace_back("Location", location_of(answer.key, fmt::format("/backfills/{}", answer.record.id)));
  return reply;
}

}  // namespace

IdempotencyKey idempotency_key_of(const http::Request& request, std::string_view method, const std::string& actor,
                                  std::string_view key) {
  return {.key = sha256_hex(fmt::format("{}\n{}", actor, key)),
          .fingerprint = sha256_hex(fmt::format("{}\n{}\n{}", method, request.target, canonical_body(request.body)))};
}

WriteTerms terms_of_item(const Call& call, const ScheduleName& item) {
  if (!call.terms.key) return {};
  return {.key = IdempotencyKey{
              .key = sha256_hex(fmt::format("{}\n{}\n{}", call.terms.key->key, item.name_space.value_or(""), item.id)),
              .fingerprint = call.terms.key->fingerprint}};
}

bool was_done_before(const Refusal& refusal) { return refusal.kind == Refusal::Kind::in_progress; }

std::string kept_answer(const http::Response& response) {
  json::array headers;
  for (const auto& [name, value] : response.headers) headers.push_back(json::array{name, value});
  return json::serialize(
      json::object{{"status", response.status}, {"headers", std::move(headers)}, {"body", response.body}});
}

// What is stored may be damaged, or of another form: then it is not known.
std::optional<http::Response> response_from(const std::string& kept) {
  const auto parsed = parse_json(kept);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const json::object& members = parsed->get_object();
  const json::value* status = members.if_contains("status");
  const json::value* body = members.if_contains("body");
  const json::value* headers = members.if_contains("headers");
  if (status == nullptr || !status->is_int64() || body == nullptr || !body->is_string() || headers == nullptr ||
      !headers->is_array())
    return std::nullopt;
  http::Response response{
      .status = static_cast<int>(status->get_int64()), .headers = {}, .body = std::string{body->get_string()}};
  for (const json::value& header : headers->get_array()) {
    const json::array* pair = header.if_array();
    if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_string() || !(*pair)[1].is_string()) return std::nullopt;
    response.headers.emplace_back((*pair)[0].get_string(), (*pair)[1].get_string());
  }
  return response;
}

Served<Reply> repeated_reply(Call& call, std::string_view operation, const IdempotencyRecord& record) {
  if (operation == "deleteSchedule" || operation == "batchDeleteSchedules") return Reply{.status = 204};
  if (operation == "triggerSchedule" || operation == "retryRun" || operation == "createJob")
    return repeated_start(call, operation, record);
  if (operation == "cancelRun") {
    const RunAnswer run = TRY(call.services.runs.get(call.caller, call.ids.front(), call.parameters.text("namespace")));
    return Reply{.status = 202, .body = json::serialize(run_document(run))};
  }
  if (operation.ends_with("Backfill")) return repeated_backfill(call, operation);
  return repeated_schedule(call, operation, record);
}

}  // namespace carillon::rest
