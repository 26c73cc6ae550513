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

  /// The zone of that name. Refuses what check_zone_name refuses.
  [[nodiscard]] virtual Result<ZonePtr> zone(std::string_view name) = 0;

  /// The names of the edition in force.
  [[nodiscard]] virtual std::shared_ptr<const ZoneNames> names() = 0;

  /// Looks whether the zone data on disk has changed and takes it into use if so; tells whether it did. Zones handed
  /// out before keep their old rules.
  [[nodiscard]] virtual bool refresh() = 0;
};

}  // namespace carillon
