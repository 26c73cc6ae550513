#include "scheduling/definition_cache.hpp"

#include "document/document.hpp"
#include "engine/schedule_document.hpp"

#include <utility>
#include <vector>

namespace carillon {
namespace {

Result<ScheduleDocument> read_stored(const std::string& text) {
  const auto tree = TRY(parse_json(text));
  auto document = read_schedule(tree);
  if (!document) return std::unexpected(to_error(document.error()));
  return *std::move(document);
}

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
  const ScheduleDocument document = TRY(read_stored(stored.document));
  return compile_new(document, name.revision, stored.created_at);
}

void DefinitionCache::keep(const DefinitionName& name, Result<DefinitionPtr> definition) {
  entries_.emplace_front(name, std::move(definition));
  index_[name] = entries_.begin();
  if (entries_.size() <= count_max_) return;
  index_.erase(entries_.back().first);
  entries_.pop_back();
}

Result<> DefinitionCache::prefetch(std::span<const DefinitionName> names) {
  std::vector<DefinitionName> missing;
  for (const DefinitionName& name : names)
    if (!index_.contains(name)) missing.push_back(name);
  if (missing.empty()) return {};
  const auto stored = TRY(store_.read_definitions(missing));
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (index_.contains(missing[i])) continue;
    keep(missing[i], stored[i] ? compile_stored(missing[i], *stored[i]) : no_definition(missing[i]));
  }
  return {};
}

Result<DefinitionPtr> DefinitionCache::get(DefinitionName name) {
  auto found = index_.find(name);
  if (found == index_.end()) {
    TRY(prefetch(std::span{&name, 1}));
    found = index_.find(name);
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  Result<DefinitionPtr> definition = found->second->second;
  // What could not be compiled may be tomorrow, when its zone has come: it is not remembered.
  if (!definition) {
    entries_.erase(found->second);
    index_.erase(found);
  }
  return definition;
}

}  // namespace carillon
