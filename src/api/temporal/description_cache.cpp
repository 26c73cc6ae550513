#include "api/temporal/description_cache.hpp"

#include <utility>

namespace carillon::temporal {

std::shared_ptr<const Description> DescriptionCache::of(const ScheduleRecord& record) {
  const ScheduleState& state = record.view.state;
  {
    const std::scoped_lock lock{mutex_};
    const auto found = entries_.find(state.uid);
    if (found != entries_.end() && found->second.revision == state.revision) return found->second.description;
  }
  auto document = document_of(record);
  if (!document) return nullptr;
  auto description = std::make_shared<const Description>(description_of(*std::move(document), state.created_at));
  if (record.document.size() > document_size_max) return description;
  const std::scoped_lock lock{mutex_};
  if (entries_.size() >= count_max) entries_.clear();
  entries_.insert_or_assign(state.uid, Entry{.revision = state.revision, .description = description});
  return description;
}

}  // namespace carillon::temporal
