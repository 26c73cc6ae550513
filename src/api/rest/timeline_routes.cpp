#include "api/rest/calendar_text.hpp"
#include "api/rest/documents.hpp"
#include "api/rest/filter_parameters.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"
#include "base/duration_text.hpp"

#include <boost/json/serialize.hpp>

#include <chrono>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::int64_t calendar_count_max = 2'000;
constexpr std::int64_t width_max = 10'000;

json::object row_document(const TimelineRow& row) {
  json::array marks;
  for (const TimelineMark& mark : row.marks)
    marks.push_back(json::object{
        {"from", to_text(mark.from)}, {"to", to_text(mark.to)}, {"kind", to_text(mark.kind)}, {"count", mark.count}});
  return {{"schedule", row.key.id.text()},
          {"namespace", row.key.name_space.text()},
          {"name", row.name},
          {"status", to_text(row.status)},
          {"marks", std::move(marks)},
          {"partial", row.is_partial}};
}

json::array instants_document(const std::vector<Instant>& instants) {
  json::array items;
  for (const Instant instant : instants) items.emplace_back(to_text(instant));
  return items;
}

}  // namespace

Served<Reply> get_timeline(Call& call) {
  const Instant now = call.application.clock().now();
  TimelineRequest request{.schedules = {.filter = TRY(filter_in(call))}};
  request.from = call.parameters.instant("from").value_or(now - std::chrono::hours{12});
  request.to = call.parameters.instant("to").value_or(now + std::chrono::hours{12});
  request.width = call.parameters.integer("width", 1, width_max).value_or(1'000);
  request.schedules.count_max = static_cast<std::size_t>(
      call.parameters.integer("limit", 1, static_cast<std::int64_t>(Timelines::row_count_max)).value_or(50));
  if (const auto token = call.parameters.text("pageToken")) {
    request.schedules.after = schedule_after(*token);
    if (!request.schedules.after) call.parameters.fault("pageToken", "pageToken is not from this server");
  }
  TRY(call.parameters.finish());
  const TimelineAnswer answer = TRY(call.application.timelines().timeline(call.caller, request));
  json::array items;
  for (const TimelineRow& row : answer.rows) items.push_back(row_document(row));
  json::object document{{"now", to_text(answer.now)}, {"from", to_text(request.from)},
                        {"to", to_text(request.to)},  {"resolution", to_text(answer.resolution)},
                        {"items", std::move(items)},  {"total", answer.total},
                        {"nextPageToken", nullptr}};
  if (answer.next) document["nextPageToken"] = page_token(*answer.next);
  return Reply{.body = json::serialize(document)};
}

Served<Reply> get_calendar(Call& call) {
  const Instant now = call.application.clock().now();
  ScheduleFilter filter = TRY(filter_in(call));
  const auto from = call.parameters.instant("from").value_or(now);
  const auto to = call.parameters.instant("to").value_or(from + std::chrono::days{7});
  const auto limit = call.parameters.integer("limit", 1, calendar_count_max).value_or(calendar_count_max);
  TRY(call.parameters.finish());
  const auto entries = TRY(
      call.application.timelines().calendar(call.caller, std::move(filter), from, to, static_cast<std::size_t>(limit)));
  return Reply{.body = calendar_text(entries, now), .headers = {{"Content-Type", "text/calendar; charset=utf-8"}}};
}

Served<Reply> propose_spread(Call& call) {
  const Instant now = call.application.clock().now();
  const auto name_space = call.parameters.text("namespace");
  const auto from = call.parameters.instant("from").value_or(now);
  const auto to = call.parameters.instant("to").value_or(from + std::chrono::days{1});
  const auto limit = call.parameters.integer("limit", 1, 100).value_or(10);
  TRY(call.parameters.finish());
  const SpreadAnswer answer =
      TRY(call.application.load_spread().propose(call.caller, name_space, from, to, static_cast<std::size_t>(limit)));
  json::array items;
  for (const SharedMinute& item : answer.items)
    items.push_back(json::object{{"namespace", item.name_space},
                                 {"ids", json::array(item.ids.begin(), item.ids.end())},
                                 {"minutes", instants_document(item.minutes)},
                                 {"minuteCount", item.minute_count},
                                 {"starts", item.starts},
                                 {"expected", item.expected},
                                 {"patch", {{"spec", {{"jitter", to_text(item.jitter)}}}}},
                                 {"quiet", instants_document(item.quiet)}});
  return Reply{.body = json::serialize(json::object{{"items", std::move(items)},
                                                    {"peak", answer.peak},
                                                    {"mean", answer.mean},
                                                    {"schedules", answer.schedules},
                                                    {"partial", answer.is_partial}})};
}

}  // namespace carillon::rest
