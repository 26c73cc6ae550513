#pragma once

#include "base/error.hpp"
#include "engine/definition.hpp"
#include "engine/keys.hpp"
#include "ports/schedule_store.hpp"
#include "ports/zone_source.hpp"
#include "scheduling/stored_documents.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

namespace carillon {

/// Shared, because a decision may still use a definition that the cache has just dropped.
using DefinitionPtr = std::shared_ptr<const Definition>;

/// Definitions compiled from their documents: the newest one of each schedule, of the schedules used last; about 1.5 KB
/// each. A definition of a revision never changes, so that what is kept cannot be stale; only zone rules change it, and
/// a cache belongs to one edition of them. May be called from several threads.
class DefinitionCache {
 public:
  DefinitionCache(ScheduleStore& store, ZoneSource& zones, ZoneEdition edition, std::size_t count_max = 100'000);

  [[nodiscard]] ZoneEdition edition() const { return edition_; }

  /// The definition a schedule is decided by. An error not_found if the store has none, invalid_argument if it cannot
  /// be compiled, e.g. because its zone is unknown here.
  [[nodiscard]] Result<DefinitionPtr> get(const DefinitionName& name);

  /// Reads the missing ones of these in one call of the store. Faults of a definition are reported by `get`.
  [[nodiscard]] Result<> prefetch(std::span<const DefinitionName> names);

  /// Compiles a document that is not in the store yet.
  [[nodiscard]] Result<DefinitionPtr> compile_new(const ScheduleDocument& document, std::int64_t revision,
                                                  Instant created_at);
  /// Adds a definition that was compiled before it was in the store, and is there now, so that it need not be read.
  void keep(const DefinitionName& name, DefinitionPtr definition);
  /// Drops all definitions; each is read again when it is asked for.
  void forget_all();

 private:
  using Entries = std::list<std::pair<DefinitionName, DefinitionPtr>>;

  [[nodiscard]] Result<DefinitionPtr> compile_stored(const DefinitionName& name, const StoredDefinition& stored);
  // With the lock held.
  [[nodiscard]] DefinitionPtr find(const DefinitionName& name);
  void insert(const DefinitionName& name, DefinitionPtr definition);

  ScheduleStore& store_;
  ZoneSource& zones_;
  ZoneEdition edition_;
  std::size_t count_max_;
  StoredDocuments documents_;
  std::mutex mutex_;
  // Guarded.
  Entries entries_;  // used last first
  std::unordered_map<Uid, Entries::iterator> index_;
};

}  // namespace carillon
