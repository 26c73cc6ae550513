#pragma once

#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/zone_source.hpp"
#include "support/fixed_zone_source.hpp"

#include <memory>
#include <string>
#include <utility>

namespace carillon::simulation {

inline constexpr ZoneEdition first_edition{2026 * 32 + 2};
inline constexpr ZoneEdition second_edition{2026 * 32 + 3};

/// The zones of one edition: the fixed ones, right for all times that worlds live in, of which the second edition
/// changes one.
class EditionZones final : public ZoneSource {
 public:
  EditionZones();
  /// `name` goes another way from `change_at` on.
  EditionZones(std::string name, Instant change_at, std::int32_t shift);

  [[nodiscard]] Result<ZonePtr> zone(std::string_view name) override {
    if (changed_ && name == changed_->name()) return changed_;
    return original(name);
  }
  [[nodiscard]] std::shared_ptr<const ZoneNames> names() override { return fixed_.names(); }
  [[nodiscard]] bool refresh() override { return false; }
  [[nodiscard]] const Zone* changed() const { return changed_.get(); }

 private:
  [[nodiscard]] Result<ZonePtr> original(std::string_view name);

  FixedZoneSource fixed_;
  ZonePtr lord_howe_;  // the fixed one lacks the changes before October 2026
  ZonePtr changed_;
};

}  // namespace carillon::simulation
