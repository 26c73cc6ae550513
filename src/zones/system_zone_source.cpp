#include "zones/system_zone_source.hpp"

#include "zones/load_zone.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace carillon {
namespace {

/// The file of a zone: its own or, where a package leaves out the files of old names, that of the zone it links to.
std::filesystem::path file_of(std::string_view name, const ZoneNames& names, const std::filesystem::path& directory) {
  const std::filesystem::path own = directory / name;
  const auto link = names.links.find(name);
  std::error_code error;
  return link == names.links.end() || std::filesystem::exists(own, error) ? own : directory / link->second;
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute;
}

}  // namespace

std::filesystem::path SystemZoneSource::default_directory() {
  const char* directory = std::getenv("TZDIR");
  return directory != nullptr && *directory != '\0' ? directory : "/usr/share/zoneinfo";
}

SystemZoneSource::SystemZoneSource(const std::filesystem::path& directory)
    : directory_{absolute_path(directory)}, edition_{read_zone_listing(directory_)} {}

Result<ZonePtr> SystemZoneSource::zone(std::string_view name) {
  if (name == "UTC") return Zone::utc();
  std::shared_ptr<const ZoneNames> names;
  {
    const std::lock_guard lock{mutex_};
    if (const auto found = zones_.find(name); found != zones_.end()) return found->second.zone;
    if (edition_.problem) return std::unexpected(*edition_.problem);
    names = edition_.names;
  }
  // Files are read without the lock, so that zones already loaded stay at hand.
  LoadedZone loaded = TRY(load(name, *names));
  const std::lock_guard lock{mutex_};
  if (edition_.names != names) return loaded.zone;
  return zones_.try_emplace(std::string{name}, std::move(loaded)).first->second.zone;
}

std::shared_ptr<const ZoneNames> SystemZoneSource::names() {
  const std::lock_guard lock{mutex_};
  return edition_.names;
}

bool SystemZoneSource::refresh() {
  if (std::ranges::none_of(files_in_use(), &WatchedFile::has_changed)) return false;
  ZoneListing edition = read_zone_listing(directory_);
  if (edition.problem) return false;
  const std::lock_guard lock{mutex_};
  edition_ = std::move(edition);
  zones_.clear();
  return true;
}

Result<SystemZoneSource::LoadedZone> SystemZoneSource::load(std::string_view name, const ZoneNames& names) const {
  TRY(check_zone_name(name, names));
  WatchedFile file = WatchedFile::now(file_of(name, names, directory_));
  ZonePtr zone = TRY(while_doing(load_zone(name, file.path), "loading time zone {}", name));
  return LoadedZone{.zone = std::move(zone), .file = std::move(file)};
}

std::vector<WatchedFile> SystemZoneSource::files_in_use() {
  const std::lock_guard lock{mutex_};
  std::vector<WatchedFile> files = edition_.sources;
  for (const auto& [name, loaded] : zones_) files.push_back(loaded.file);
  return files;
}

}  // namespace carillon
