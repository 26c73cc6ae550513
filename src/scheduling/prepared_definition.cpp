#include "scheduling/prepared_definition.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

std::string canonical_text(const ScheduleDocument& document) {
  return boost::json::serialize(write_schedule(document));
}

}  // namespace

PreparedDefinition::PreparedDefinition(ScheduleDocument document)
    : document_{std::move(document)}, text_{canonical_text(document_)} {}

void PreparedDefinition::rename(ScheduleId id) {
  document_.id = std::move(id);
  text_ = canonical_text(document_);
  compiled_.reset();
}

bool PreparedDefinition::depends_on_creation() const {
  return std::ranges::any_of(document_.spec.intervals,
                             [](const Interval& interval) { return interval.anchor == Anchor::creation; });
}

Result<DefinitionPtr> PreparedDefinition::compile(DefinitionCache& definitions, std::int64_t revision,
                                                  Instant created_at) const {
  const bool is_same = compiled_ && compiled_->edition == definitions.edition() &&
                       compiled_->definition->revision == revision &&
                       (compiled_->created_at == created_at || !depends_on_creation());
  if (!is_same)
    compiled_ = Compiled{.edition = definitions.edition(),
                         .created_at = created_at,
                         .definition = TRY(definitions.compile_new(document_, revision, created_at))};
  return compiled_->definition;
}

Result<> PreparedDefinition::check_cost(const Definition& compiled, Instant now) const {
  if (!is_affordable_) TRY(compiled.timetable.check_cost(now));
  is_affordable_ = true;
  return {};
}

}  // namespace carillon
