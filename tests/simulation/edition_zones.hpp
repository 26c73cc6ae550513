#pragma once

#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/zone_source.hpp"
#include "support/fixed_zone_source.hpp"

#include <memory>
#include <string>
#include <utility>

namespace carillon::simulation {

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
  [[nodiscard]] std::shared_ptr<const ZoneNames> names() override { return names_; }
  [[nodiscard]] bool refresh() override { return false; }
  [[nodiscard]] const Zone* changed() const { return changed_.get(); }

 private:
  [[nodiscard]] Result<ZonePtr> original(std::string_view name);

  FixedZoneSource fixed_;
  std::shared_ptr<const ZoneNames> names_ = fixed_.names();
  ZonePtr lord_howe_;  // the fixed one lacks the changes before October 2026
  ZonePtr changed_;
};

/// The zone data on the disk of one machine, which somebody brings up to date: it is in force there when it is looked
/// for.
class SwitchedZones final : public ZoneSource {
 public:
  explicit SwitchedZones(EditionZones& zones) : current_{&zones}, newest_{&zones} {}

  void switch_to(EditionZones& zones) { newest_ = &zones; }

  [[nodiscard]] Result<ZonePtr> zone(std::string_view name) override { return current_->zone(name); }
  [[nodiscard]] std::shared_ptr<const ZoneNames> names() override { return current_->names(); }
  [[nodiscard]] bool refresh() override { return std::exchange(current_, newest_) != newest_; }

 private:
  EditionZones* current_;
  EditionZones* newest_;
};

}  // namespace carillon::simulation
