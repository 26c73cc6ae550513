#include "crontab/crontab.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace carillon {
namespace {

namespace json = boost::json;

/// The members that are not as in `defaults`, in their order.
json::object without_defaults(const json::object& object, const json::object& defaults) {
  json::object result;
  for (const auto& [key, value] : object) {
    const json::value* usual = defaults.if_contains(key);
    if (usual == nullptr || !value.is_object() || !usual->is_object()) {
      if (usual == nullptr || value != *usual) result[key] = value;
      continue;
    }
    json::object inner = without_defaults(value.get_object(), usual->get_object());
    if (!inner.empty()) result[key] = std::move(inner);
  }
  return result;
}

/// A document that says no more than it must.
json::object short_document(const ScheduleDocument& schedule) {
  // The zone is always written: what is left out is a default of the server, which may change.
  Spec spec;
  spec.timezone.clear();
  const ScheduleDocument usual{.id = schedule.id,
                               .name_space = NamespaceId::parse("default").value(),
                               .name = schedule.id.text(),
                               .description = {},
                               .labels = {},
                               .enabled = true,
                               .spec = std::move(spec),
                               .action = CommandAction{},
                               .policies = {}};
  json::object result{{"id", schedule.id.text()}};
  for (const auto& [key, value] : without_defaults(write_schedule(schedule), write_schedule(usual)))
    result[key] = value;
  return result;
}

}  // namespace

json::object to_schedule_file(std::span<const ImportedLine> lines) {
  json::array schedules;
  for (const ImportedLine& line : lines)
    if (line.schedule) schedules.push_back(short_document(line.schedule->document));
  return {{"schedules", std::move(schedules)}};
}

}  // namespace carillon
