#include "cli/user_definitions/definition_text.hpp"

#include "cli/user_definitions/definition_change.hpp"
#include "definitions/schedule_document.hpp"

#include <boost/json/array.hpp>

namespace carillon::cli {

namespace {

namespace json = boost::json;

/// The members that are not as in `usual`, in their order.
json::object without_usual(const json::object& object, const json::object& usual) {
  json::object result;
  for (const auto& [key, value] : object) {
    const json::value* other = usual.if_contains(key);
    if (other != nullptr && value == *other) continue;
    const bool is_nested = other != nullptr && value.is_object() && other->is_object();
    result.emplace(key, is_nested ? without_usual(value.get_object(), other->get_object()) : value);
  }
  return result;
}

/// Intervals stand in a list, of which the defaults know nothing.
void shorten_intervals(json::object& definition) {
  json::value* spec = definition.if_contains("spec");
  json::value* intervals = spec != nullptr && spec->is_object() ? spec->get_object().if_contains("intervals") : nullptr;
  if (intervals == nullptr || !intervals->is_array()) return;
  for (json::value& interval : intervals->get_array())
    interval = without_usual(interval.as_object(), {{"offset", "0s"}, {"anchor", "creation"}});
}

Action empty_action_like(const Action& action) {
  return std::visit([](const auto& kind) -> Action { return std::decay_t<decltype(kind)>{}; }, action);
}

json::object usual_for(const ScheduleDocument& schedule) {
  ScheduleDocument usual{.id = schedule.id,
                         .name_space = NamespaceId::parse("default").value(),
                         .name = schedule.id.text(),
                         .description = {},
                         .labels = {},
                         .enabled = true,
                         .spec = {},
                         .action = empty_action_like(schedule.action),
                         .policies = {}};
  usual.spec.timezone.clear();
  // Their own retries are the cluster's.
  if (std::holds_alternative<WorkflowAction>(schedule.action)) usual.policies.retry.attempt_count_max = 1;
  return write_schedule(usual);
}

}  // namespace

json::object short_definition(const json::value& answer) {
  json::object whole = definition_in(answer);
  const auto schedule = read_schedule(json::value(whole));
  // A newer server has members that we do not know: it gets them back as they are.
  if (!schedule) return whole;
  json::object brief{{"id", schedule->id.text()}};
  for (auto& [key, value] : without_usual(write_schedule(*schedule), usual_for(*schedule))) {
    if (key != "id") brief.emplace(key, value);
  }
  shorten_intervals(brief);
  const auto read_back = read_schedule(json::value(brief));
  return read_back && *read_back == *schedule ? brief : whole;
}

}  // namespace carillon::cli
