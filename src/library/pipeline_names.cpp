#include "library/pipeline_names.hpp"

#include "definitions/schedule_document.hpp"
#include "document/document.hpp"

#include <variant>

namespace carillon {

std::string pipeline_in(const std::string& document) {
  const auto json = parse_json(document);
  if (!json) return {};
  const auto schedule = read_canonical_schedule(*json);
  const auto* const action = schedule ? std::get_if<PipelineAction>(&schedule->action) : nullptr;
  return action == nullptr ? std::string{} : action->path;
}

std::string PipelineNames::of(const std::string& schedule_id) {
  {
    const std::scoped_lock lock{mutex_};
    if (const auto known = names_.find(schedule_id); known != names_.end()) return known->second;
  }
  const auto record = schedules_.find(caller_, {.id = schedule_id});
  if (!record) return {};
  std::string name = pipeline_in(record->document);
  const std::scoped_lock lock{mutex_};
  return names_.emplace(schedule_id, std::move(name)).first->second;
}

}  // namespace carillon
