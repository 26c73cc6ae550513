#include "scheduling/definition_cache.hpp"

#include <utility>
#include <vector>

namespace carillon {
namespace {

std::unexpected<Error> no_definition(const DefinitionName& name) {
  return fail(ErrorCode::not_found, "schedule {} has no definition of revision {}", static_cast<std::int64_t>(name.uid),
              name.revision);
}

}  // namespace

DefinitionCache::DefinitionCache(ScheduleStore& store, ZoneSource& zones, ZoneEdition edition, std::size_t count_max)
    : store_{store}, zones_{zones}, edition_{edition}, count_max_{count_max} {}

Result<DefinitionPtr> DefinitionCache::compile_new(const ScheduleDocument& document, std::int64_t revision,
                                                   Instant created_at) {
  ZonePtr zone = TRY(zones_.zone(document.spec.timezone));
  return std::make_shared<const Definition>(TRY(compile(document, revision, std::move(zone), edition_, created_at)));
}

Result<DefinitionPtr> DefinitionCache::compile_stored(const DefinitionName& name, const StoredDefinition& stored) {
  const auto document = documents_.read(stored.document);
  if (!document) return std::unexpected(document.error());
  return compile_new(*document, name.revision, stored.created_at);
}

DefinitionPtr DefinitionCache::find(const DefinitionName& name) {
  const auto found = index_.find(name.uid);
  if (found == index_.end() || found->second->first.revision != name.revision) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->second;
}

// The newest of each schedule: an old one is needed for a run that has waited long, and then once.
void DefinitionCache::insert(const DefinitionName& name, DefinitionPtr definition) {
  if (const auto known = index_.find(name.uid); known != index_.end()) {
    if (known->second->first.revision < name.revision) *known->second = {name, std::move(definition)};
    return;
  }
  entries_.emplace_front(name, std::move(definition));
  index_.emplace(name.uid, entries_.begin());
  if (entries_.size() <= count_max_) return;
  index_.erase(entries_.back().first.uid);
  entries_.pop_back();
}

Result<> DefinitionCache::prefetch(std::span<const DefinitionName> names) {
  std::vector<DefinitionName> missing;
  {
    const std::scoped_lock lock{mutex_};
    for (const DefinitionName& name : names)
      if (!find(name)) missing.push_back(name);
  }
  if (missing.empty()) return {};
  const auto stored = TRY(store_.read_definitions(missing));
  for (std::size_t i = 0; i < missing.size(); ++i) {
    // What cannot be compiled today may be tomorrow, when its zone has come: that is not remembered.
    auto definition = stored[i] ? compile_stored(missing[i], *stored[i]) : no_definition(missing[i]);
    const std::scoped_lock lock{mutex_};
    if (definition) insert(missing[i], *std::move(definition));
  }
  return {};
}

Result<DefinitionPtr> DefinitionCache::get(const DefinitionName& name) {
  {
    const std::scoped_lock lock{mutex_};
    if (DefinitionPtr definition = find(name)) return definition;
  }
  const auto stored = TRY(store_.read_definitions(std::span{&name, 1}));
  if (!stored.front()) return no_definition(name);
  DefinitionPtr definition = TRY(compile_stored(name, *stored.front()));
  keep(name, definition);
  return definition;
}

void DefinitionCache::forget_all() {
  const std::scoped_lock lock{mutex_};
  index_.clear();
  entries_.clear();
}

void DefinitionCache::keep(const DefinitionName& name, DefinitionPtr definition) {
  const std::scoped_lock lock{mutex_};
  insert(name, std::move(definition));
}

}  // namespace carillon
