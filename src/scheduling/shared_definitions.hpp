#pragma once

#include "ports/schedule_store.hpp"
#include "ports/zone_source.hpp"
#include "scheduling/definition_cache.hpp"
#include "scheduling/zone_edition.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace carillon {

/// One cache of compiled definitions for this process, so that a definition that was compiled for deciding is not
/// compiled again for performing. It is replaced when the zone rules change. May be called from several threads.
class SharedDefinitions {
 public:
  SharedDefinitions(ScheduleStore& store, ZoneSource& zones) : store_{store}, zones_{zones} {}

  /// The cache for the rules that the zone source has now. Keep it for one piece of work, not longer.
  [[nodiscard]] std::shared_ptr<DefinitionCache> now() {
    auto names = zones_.names();
    const std::scoped_lock lock{mutex_};
    if (!cache_ || names != names_) {
      cache_ = std::make_shared<DefinitionCache>(store_, zones_, zone_edition(names->version));
      names_ = std::move(names);
    }
    return cache_;
  }

  [[nodiscard]] ZoneSource& zones() { return zones_; }

 private:
  ScheduleStore& store_;
  ZoneSource& zones_;
  std::mutex mutex_;
  std::shared_ptr<const ZoneNames> names_;
  std::shared_ptr<DefinitionCache> cache_;
};

}  // namespace carillon
