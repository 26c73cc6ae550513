#pragma once

#include "base/error.hpp"
#include "calendar/zone.hpp"
#include "calendar/zone_names.hpp"

#include <memory>
#include <string_view>

namespace carillon {

/// Where time zones come from. May be called from several threads.
class ZoneSource {
 public:
  virtual ~ZoneSource() = default;

  /// The zone of that name. An error invalid_argument for a name that check_zone_name refuses.
  [[nodiscard]] virtual Result<ZonePtr> zone(std::string_view name) = 0;

  /// The names of the edition in force.
  [[nodiscard]] virtual std::shared_ptr<const ZoneNames> names() = 0;

  /// Uses the zone data on disk from now on if it has changed; returns whether it has. Zones that were handed out
  /// before keep their old rules.
  [[nodiscard]] virtual bool refresh() = 0;
};

}  // namespace carillon
