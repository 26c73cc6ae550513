#include "api/rest/calendar_text.hpp"
#include "api/rest/documents.hpp"
#include "api/rest/filter_parameters.hpp"
#include "api/rest/page_token.hpp"
#include "api/rest/routes.hpp"
#include "base/duration_text.hpp"
#include "base/quoted.hpp"

#include <boost/json/serialize.hpp>

#include <chrono>

namespace carillon::rest {
namespace {

namespace json = boost::json;

constexpr std::int64_t calendar_count_max = 2'000;
constexpr std::int64_t calendar_days_max = 366;
constexpr std::int64_t width_max = 10'000;

json::object mark_document(const TimelineMark& mark) {
  json::object document{
      {"from", to_text(mark.from)}, {"to", to_text(mark.to)}, {"kind", to_text(mark.kind)}, {"count", mark.count}};
  if (!mark.run.empty()) document["run"] = mark.run;
  if (mark.due) document["due"] = to_text(*mark.due);
  return document;
}

json::object row_document(const TimelineRow& row) {
  json::array marks;
  for (const TimelineMark& mark : row.marks) marks.push_back(mark_document(mark));
  json::object document{{"schedule", nullptr}, {"namespace", nullptr},      {"name", row.name},
                        {"status", nullptr},   {"marks", std::move(marks)}, {"partial", row.is_partial}};
  if (row.key) {
    document["schedule"] = row.key->id.text();
    document["namespace"] = row.key->name_space.text();
  }
  if (row.status) document["status"] = to_text(*row.status);
  return document;
}

/// `schedule`, `queue`, `namespace` or `label:KEY`.
TimelineGrouping grouping_in(Parameters& parameters) {
  using Kind = TimelineGrouping::Kind;
  constexpr std::string_view label = "label:";
  const auto text = parameters.text("group");
  if (!text) return {};
  if (*text == "schedule") return {.kind = Kind::schedule};
  if (*text == "queue") return {.kind = Kind::queue};
  if (*text == "namespace") return {.kind = Kind::name_space};
  if (text->starts_with(label) && text->size() > label.size())
    return {.kind = Kind::label, .label = text->substr(label.size())};
  parameters.fault("group", fmt::format("unknown group {}", quoted(*text)),
                   "one of schedule, queue, namespace, label:KEY");
  return {};
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
  request.grouping = grouping_in(call.parameters);
  if (request.grouping.kind == TimelineGrouping::Kind::none)
    request.schedules.after = place_of_page(call.parameters, schedule_after);
  else
    request.offset = static_cast<std::size_t>(place_of_page(call.parameters, number_after).value_or(0));
  TRY(call.parameters.finish());
  const TimelineAnswer answer = TRY(call.application.timelines().timeline(call.caller, request));
  json::array items;
  for (const TimelineRow& row : answer.rows) items.push_back(row_document(row));
  json::object document{{"now", to_text(answer.now)}, {"from", to_text(request.from)},
                        {"to", to_text(request.to)},  {"resolution", to_text(answer.resolution)},
                        {"items", std::move(items)},  {"total", answer.total},
                        {"nextPageToken", nullptr}};
  if (answer.next) document["nextPageToken"] = page_token(*answer.next);
  if (answer.next_offset) document["nextPageToken"] = page_token(static_cast<std::int64_t>(*answer.next_offset));
  return Reply{.body = json::serialize(document)};
}

Served<Reply> get_calendar(Call& call) {
  const Instant now = call.application.clock().now();
  ScheduleFilter filter = TRY(filter_in(call));
  const auto from = call.parameters.instant("from").value_or(now);
  const auto days = call.parameters.integer("days", 1, calendar_days_max).value_or(7);
  const auto to = call.parameters.instant("to").value_or(from + std::chrono::days{days});
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
