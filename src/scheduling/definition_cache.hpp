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

/// Shared, because a decision may still use what the cache has just let go.
using DefinitionPtr = std::shared_ptr<const Definition>;

/// Definitions compiled from their documents, one of each schedule, those used last kept: about 1.5 KB each. A
/// definition never changes, so what is kept is never stale; zone rules are the exception, which is why it belongs to
/// one edition of them. May be called from several threads: who decides and who performs need the same ones.
class DefinitionCache {
 public:
  DefinitionCache(ScheduleStore& store, ZoneSource& zones, ZoneEdition edition, std::size_t count_max = 100'000);

  [[nodiscard]] ZoneEdition edition() const { return edition_; }

  /// The definition a schedule is decided by. An error not_found if the store has none, invalid_argument if it cannot
  /// be compiled, e.g. because its zone is unknown here.
  [[nodiscard]] Result<DefinitionPtr> get(const DefinitionName& name);

  /// Reads what is missing of these in one go; faults show when they are asked for.
  [[nodiscard]] Result<> prefetch(std::span<const DefinitionName> names);

  /// Compiles a document that is not in the store yet.
  [[nodiscard]] Result<DefinitionPtr> compile_new(const ScheduleDocument& document, std::int64_t revision,
                                                  Instant created_at);
  /// One that was compiled before it was in the store, and is there now: it need not be read again.
  void keep(const DefinitionName& name, DefinitionPtr definition);
  /// All are read again when they are asked for.
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
