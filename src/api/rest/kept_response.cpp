#include "api/rest/kept_response.hpp"

#include "api/rest/documents.hpp"
#include "api/rest/entity_tag.hpp"
#include "api/rest/routes.hpp"
#include "document/document.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <variant>
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

Reply reply_to(const RepeatedSchedule& repeated) {
  const ScheduleAnswer& answer = repeated.answer;
  Reply reply{.status = repeated.is_new ? 201 : 200, .body = schedule_text(answer, {})};
  reply.headers.emplace_back("ETag", entity_tag(answer.record.view.state, reply.body));
  if (repeated.is_new) reply.headers.emplace_back("Location", location_of(answer.record.key, ""));
  return reply;
}

Reply reply_to(const RepeatedTrigger& repeated) { return {.status = 202, .body = trigger_text(repeated.answer)}; }

Reply reply_to(const RepeatedJob& repeated) {
  return {.status = 201,
          .body = json::serialize(run_document(repeated.run)),
          .headers = {{"Location", "/api/v1/jobs/" + repeated.run.id}}};
}

Reply reply_to(const RepeatedCancel& repeated) {
  return {.status = 202, .body = json::serialize(run_document(repeated.run))};
}

Reply reply_to(const RepeatedBackfill& repeated) {
  const BackfillAnswer& answer = repeated.answer;
  Reply reply{.status = repeated.is_new ? 201 : 200, .body = json::serialize(backfill_document(answer))};
  if (repeated.is_new)
    reply.headers.emplace_back("Location", location_of(answer.key, "/backfills/" + answer.record.id));
  return reply;
}

Reply reply_to(const RepeatedRemoval&) { return {.status = 204}; }

}  // namespace

std::string request_text(const http::Request& request) {
  return fmt::format("{}\n{}\n{}", word_of(request.method), request.target, canonical_body(request.body));
}

std::string kept_response(const http::Response& response) {
  json::array headers;
  for (const auto& [name, value] : response.headers) headers.push_back(json::array{name, value});
  return json::serialize(
      json::object{{"status", response.status}, {"headers", std::move(headers)}, {"body", response.body}});
}

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

Reply repeated_reply(const RepeatedAnswer& answer) {
  return std::visit([](const auto& repeated) { return reply_to(repeated); }, answer);
}

}  // namespace carillon::rest
