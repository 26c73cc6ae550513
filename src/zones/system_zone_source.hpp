#pragma once

#include "ports/zone_source.hpp"
#include "zones/zone_directory.hpp"

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace carillon {

/// The time zones of a zoneinfo folder, as the tzdata package installs it. Zones are read when first asked for and
/// kept; asking again takes a lock and a lookup, and allocates nothing.
///
/// `UTC` needs no data. Every other zone comes from its file or not at all: a missing folder or file gives an error
/// with code `unavailable`, a damaged file one with `corrupt`.
class SystemZoneSource final : public ZoneSource {
 public:
  /// $TZDIR, or else /usr/share/zoneinfo.
  [[nodiscard]] static std::filesystem::path default_directory();

  explicit SystemZoneSource(const std::filesystem::path& directory = default_directory());

  [[nodiscard]] Result<ZonePtr> zone(std::string_view name) override;
  [[nodiscard]] std::shared_ptr<const ZoneNames> names() override;

  /// Notices a change of the list of zones and of every zone file in use. Should the folder have no zones at that
  /// moment, as in the middle of an update, everything stays as it was and the next call looks again.
  [[nodiscard]] bool refresh() override;

 private:
  struct LoadedZone {
    ZonePtr zone;
    WatchedFile file;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };

  [[nodiscard]] Result<LoadedZone> load(std::string_view name, const ZoneNames& names) const;
  [[nodiscard]] std::vector<WatchedFile> files_in_use();

  const std::filesystem::path directory_;  // absolute

  std::mutex mutex_;  // guards the members below
  ZoneListing edition_;
  std::unordered_map<std::string, LoadedZone, NameHash, std::equal_to<>> zones_;  // of this edition
};

}  // namespace carillon
