#include "api/temporal/answers.hpp"
#include "api/temporal/method_call.hpp"
#include "api/temporal/payloads.hpp"
#include "api/temporal/query.hpp"
#include "api/temporal/schedule_ids.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace carillon::temporal {
namespace {

constexpr std::size_t page_size_default = 100;
constexpr std::size_t page_size_max = 1'000;
constexpr std::size_t batch_size_max = 200;
/// So many schedules are looked at for one page; then it ends early, and its token says where to go on.
constexpr std::size_t looked_at_max = 5'000;
constexpr std::size_t page_bytes_max = 2 * 1024 * 1024;
constexpr std::size_t counted_max = 200'000;
constexpr std::string_view token_prefix = "carillon:";

Outcome<std::optional<ScheduleKey>> place_of(const std::string& token, const std::string& name_space) {
  if (token.empty()) return std::nullopt;
  const auto space = NamespaceId::parse(name_space);
  const auto id =
      token.starts_with(token_prefix) ? ScheduleId::parse(token.substr(token_prefix.size())) : ScheduleId::parse("");
  if (!space || !id) return invalid("invalid next_page_token: it is not from this server");
  return ScheduleKey{*space, *id};
}

std::size_t page_size_of(std::int32_t wanted) {
  return wanted <= 0 ? page_size_default : std::min(static_cast<std::size_t>(wanted), page_size_max);
}

QueryRow row_of(const ScheduleRecord& record, const ScheduleDocument& document) {
  QueryRow row{{"ScheduleId", boost::json::value(foreign_id(record))},
               {"TemporalSchedulePaused", boost::json::value(is_shown_paused(record.view.state))}};
  const common_pb::SearchAttributes attributes = attributes_of(document);
  for (const auto& [name, payload] : attributes.indexed_fields())
    if (auto value = json_in(payload)) row.emplace(name, *std::move(value));
  return row;
}

Outcome<SchedulePage> next_page(MethodCall& call, const std::string& name_space,
                                const std::optional<ScheduleKey>& after, std::size_t count) {
  return call.perform(OperationId::list_schedules, [&] {
    return call.application.schedules().list(
        call.caller, {.filter = {.name_space = name_space}, .after = after, .count_max = count});
  });
}

}  // namespace

Outcome<std::string> list_schedules(MethodCall& call) {
  const auto request = TRY(request_of<service_pb::ListSchedulesRequest>(call));
  TRY(check_namespace(call, request.namespace_()));
  const Query query = TRY(Query::parse(request.query(), call.settings));
  std::optional<ScheduleKey> after = TRY(place_of(request.next_page_token(), request.namespace_()));
  const std::size_t wanted = page_size_of(request.maximum_page_size());
  service_pb::ListSchedulesResponse response;
  const auto count = [&] { return static_cast<std::size_t>(response.schedules_size()); };
  std::size_t bytes = 0;
  for (std::size_t looked_at = 0; looked_at < looked_at_max && call.is_awaited();) {
    const std::size_t batch = query.is_empty() ? wanted - count() : batch_size_max;
    const SchedulePage page = TRY(next_page(call, request.namespace_(), after, std::min(batch, batch_size_max)));
    for (const ScheduleAnswer& answer : page.items) {
      after = answer.record.key;
      const auto document = document_of(answer.record);
      if (!document || !query.matches(row_of(answer.record, *document))) continue;
      *response.add_schedules() = list_entry(answer, *document, call.application.clock().now());
      bytes += response.schedules(response.schedules_size() - 1).ByteSizeLong();
      if (count() == wanted || bytes > page_bytes_max) break;
    }
    looked_at += page.items.size();
    const bool is_cut = count() == wanted || bytes > page_bytes_max;
    if (is_cut && (page.next || after != page.items.back().record.key)) break;
    if (!page.next) return response.SerializeAsString();
  }
  if (after) response.set_next_page_token(std::string{token_prefix} + after->id.text());
  return response.SerializeAsString();
}

Outcome<std::string> count_schedules(MethodCall& call) {
  const auto request = TRY(request_of<service_pb::CountSchedulesRequest>(call));
  TRY(check_namespace(call, request.namespace_()));
  const Query query = TRY(Query::parse(request.query(), call.settings));
  service_pb::CountSchedulesResponse response;
  if (query.is_empty()) {
    response.set_count(TRY(next_page(call, request.namespace_(), std::nullopt, 1)).total);
    return response.SerializeAsString();
  }
  std::int64_t count = 0;
  std::optional<ScheduleKey> after;
  for (std::size_t looked_at = 0; looked_at < counted_max && call.is_awaited();) {
    const SchedulePage page = TRY(next_page(call, request.namespace_(), after, batch_size_max));
    for (const ScheduleAnswer& answer : page.items)
      if (const auto document = document_of(answer.record))
        count += query.matches(row_of(answer.record, *document)) ? 1 : 0;
    looked_at += page.items.size();
    if (!page.next) {
      response.set_count(count);
      return response.SerializeAsString();
    }
    after = page.next;
  }
  return failed(grpc::StatusCode::resource_exhausted, "there are too many schedules to count by a query");
}

}  // namespace carillon::temporal
