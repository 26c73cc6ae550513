#include "oracle/spec_json.hpp"

#include "base/duration_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value_to.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace carillon::oracle {
namespace {

namespace json = boost::json;

std::string text_of(const json::value& value) { return json::value_to<std::string>(value); }

Instant instant_of(const json::value& value) { return parse_instant(text_of(value)).value(); }

Duration duration_of(const json::value& value) { return parse_duration(text_of(value)).value(); }

const json::value* member(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

CalendarRange range_of(const json::object& object) {
  const int start = json::value_to<int>(object.at("start"));
  const json::value* end = member(object, "end");
  const json::value* step = member(object, "step");
  return {.start = start,
          .end = end == nullptr ? start : json::value_to<int>(*end),
          .step = step == nullptr ? 1 : json::value_to<int>(*step)};
}

CalendarField field_of(const json::value& value) {
  if (value.is_string()) return text_of(value);
  std::vector<CalendarRange> ranges;
  for (const json::value& range : value.as_array()) ranges.push_back(range_of(range.as_object()));
  return ranges;
}

struct NamedField {
  std::string_view key;
  CalendarField Calendar::* field;
};

constexpr NamedField calendar_fields[] = {{"second", &Calendar::second}, {"minute", &Calendar::minute},
                                          {"hour", &Calendar::hour},     {"dayOfMonth", &Calendar::day_of_month},
                                          {"month", &Calendar::month},   {"dayOfWeek", &Calendar::day_of_week},
                                          {"year", &Calendar::year}};

Calendar calendar_of(const json::object& object, Calendar calendar) {
  for (const auto& [key, field] : calendar_fields) {
    if (const json::value* value = member(object, key)) calendar.*field = field_of(*value);
  }
  return calendar;
}

Anchor anchor_of(const std::string& word) {
  if (word == "creation") return Anchor::creation;
  if (word == "start") return Anchor::start;
  if (word == "epoch") return Anchor::epoch;
  throw std::invalid_argument("no such anchor: " + word);
}

std::string_view word_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::creation: return "creation";
    case Anchor::start: return "start";
    case Anchor::epoch: return "epoch";
  }
  std::unreachable();
}

Interval interval_of(const json::object& object) {
  Interval interval{.every = duration_of(object.at("every"))};
  if (const json::value* offset = member(object, "offset")) interval.offset = duration_of(*offset);
  if (const json::value* anchor = member(object, "anchor")) interval.anchor = anchor_of(text_of(*anchor));
  return interval;
}

void read_crons(const json::value& value, Spec& spec) {
  if (value.is_string()) {
    spec.crons.push_back(text_of(value));
    return;
  }
  for (const json::value& text : value.as_array()) spec.crons.push_back(text_of(text));
}

json::value json_of(const CalendarField& field) {
  if (const auto* text = std::get_if<std::string>(&field)) return json::value(*text);
  json::array ranges;
  for (const CalendarRange& range : std::get<std::vector<CalendarRange>>(field)) {
    ranges.push_back(json::object{{"start", range.start}, {"end", range.end}, {"step", range.step}});
  }
  return ranges;
}

json::object json_of(const Calendar& calendar, const Calendar& empty) {
  json::object object;
  for (const auto& [key, field] : calendar_fields) {
    if (calendar.*field != empty.*field) object[key] = json_of(calendar.*field);
  }
  return object;
}

json::object json_of(const Interval& interval) {
  return {
      {"every", to_text(interval.every)}, {"offset", to_text(interval.offset)}, {"anchor", word_of(interval.anchor)}};
}

template <typename Values, typename Write>
void write_list(json::object& document, std::string_view key, const Values& values, const Write& write) {
  if (values.empty()) return;
  json::array list;
  for (const auto& value : values) list.push_back(write(value));
  document[key] = std::move(list);
}

}  // namespace

Spec spec_of_json(const json::value& document) {
  const json::object& object = document.as_object();
  Spec spec;
  if (const json::value* crons = member(object, "cron")) read_crons(*crons, spec);
  if (const json::value* list = member(object, "calendars")) {
    for (const json::value& item : list->as_array())
      spec.calendars.push_back(calendar_of(item.as_object(), Calendar{}));
  }
  if (const json::value* list = member(object, "intervals")) {
    for (const json::value& item : list->as_array()) spec.intervals.push_back(interval_of(item.as_object()));
  }
  if (const json::value* list = member(object, "times")) {
    for (const json::value& item : list->as_array()) spec.times.push_back(instant_of(item));
  }
  if (const json::value* list = member(object, "exclude")) {
    for (const json::value& item : list->as_array()) {
      spec.exclude.push_back(calendar_of(item.as_object(), Calendar::any()));
    }
  }
  if (const json::value* zone = member(object, "timezone")) spec.timezone = text_of(*zone);
  if (const json::value* start = member(object, "startAt")) spec.start_at = instant_of(*start);
  if (const json::value* end = member(object, "endAt")) spec.end_at = instant_of(*end);
  if (const json::value* dst = member(object, "dst")) {
    spec.dst = text_of(*dst) == "literal" ? DstPolicy::literal : DstPolicy::cron;
  }
  return spec;
}

json::object json_of_spec(const Spec& spec) {
  json::object document;
  write_list(document, "cron", spec.crons, [](const std::string& text) { return json::value(text); });
  write_list(document, "calendars", spec.calendars, [](const Calendar& c) { return json_of(c, Calendar{}); });
  write_list(document, "intervals", spec.intervals, [](const Interval& interval) { return json_of(interval); });
  write_list(document, "times", spec.times, [](Instant time) { return json::value(to_text(time)); });
  write_list(document, "exclude", spec.exclude, [](const Calendar& c) { return json_of(c, Calendar::any()); });
  document["timezone"] = spec.timezone;
  if (spec.start_at) document["startAt"] = to_text(*spec.start_at);
  if (spec.end_at) document["endAt"] = to_text(*spec.end_at);
  if (spec.dst == DstPolicy::literal) document["dst"] = "literal";
  return document;
}

}  // namespace carillon::oracle
