#pragma once

#include "base/error.hpp"
#include "engine/definition.hpp"
#include "engine/keys.hpp"
#include "ports/schedule_store.hpp"
#include "ports/zone_source.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace carillon {

/// Shared, because a decision may still use what the cache has just let go.
using DefinitionPtr = std::shared_ptr<const Definition>;

/// Definitions compiled from their documents, the most recently used ones kept. A definition never changes, so what is
/// kept is never stale; zone rules are the exception, which is why it belongs to one edition of them. One thread.
class DefinitionCache {
 public:
  DefinitionCache(ScheduleStore& store, ZoneSource& zones, ZoneEdition edition, std::size_t count_max = 20'000);

  [[nodiscard]] ZoneEdition edition() const { return edition_; }

  /// The definition a schedule is decided by. An error not_found if the store has none, invalid_argument if it cannot
  /// be compiled, e.g. because its zone is unknown here.
  [[nodiscard]] Result<DefinitionPtr> get(DefinitionName name);

  /// Reads what is missing of these in one go; faults show when they are asked for.
  [[nodiscard]] Result<> prefetch(std::span<const DefinitionName> names);

  /// Compiles a document that is not in the store yet.
  [[nodiscard]] Result<DefinitionPtr> compile_new(const ScheduleDocument& document, std::int64_t revision,
                                                  Instant created_at);

 private:
  using Entry = std::pair<DefinitionName, Result<DefinitionPtr>>;
  Result<DefinitionPtr> compile_stored(const DefinitionName& name, const StoredDefinition& stored);
  void keep(const DefinitionName& name, Result<DefinitionPtr> definition);

  ScheduleStore& store_;
  ZoneSource& zones_;
  ZoneEdition edition_;
  std::size_t count_max_;
  std::list<Entry> entries_;  // most recently used first
  std::map<DefinitionName, std::list<Entry>::iterator> index_;
};

}  // namespace carillon
