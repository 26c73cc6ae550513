#include "zones/load_zone.hpp"

#include "base/instant.hpp"
#include "zones/file_text.hpp"
#include "zones/tzif.hpp"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace carillon {
namespace {

constexpr UtcSecond second_min = std::chrono::floor<std::chrono::seconds>(instant_min).time_since_epoch().count();
constexpr UtcSecond second_max = std::chrono::floor<std::chrono::seconds>(instant_max).time_since_epoch().count();

/// The same folder in other words, different for different contents. absl keeps what it loaded under a name for the
/// life of the process, so a file that has changed needs a new name: each bit of the contents' hash becomes `./` or
/// `/`.
std::string alias_of(const std::filesystem::path& path, std::string_view contents) {
  std::string alias = path.parent_path().native() + '/';
  for (std::uint64_t bits = std::hash<std::string_view>{}(contents); bits != 0; bits >>= 1) {
    alias += (bits & 1) != 0 ? "./" : "/";
  }
  return alias;
}

ZoneStretch stretch_from(UtcSecond begin, const absl::TimeZone& zone) {
  const auto info = zone.At(absl::FromUnixSeconds(begin));
  return {.begin = begin, .offset = info.offset, .abbreviation = info.zone_abbr};
}

/// When the change happens that follows `stretch`. absl tells it as the wall time that it cuts off, which runs on
/// from the stretch's own offset.
UtcSecond begin_of(const absl::TimeZone::CivilTransition& change, const ZoneStretch& stretch) {
  return absl::ToUnixSeconds(absl::FromCivil(change.from, absl::UTCTimeZone())) - stretch.offset;
}

Result<std::vector<ZoneStretch>> stretches_of(const absl::TimeZone& zone) {
  std::vector<ZoneStretch> stretches{stretch_from(second_min, zone)};
  absl::TimeZone::CivilTransition change;
  UtcSecond last = second_min;
  while (zone.NextTransition(absl::FromUnixSeconds(last), &change)) {
    const UtcSecond begin = begin_of(change, stretches.back());
    if (begin > second_max) break;
    if (begin <= last) return fail(ErrorCode::corrupt, "its changes are out of order");
    last = begin;
    ZoneStretch next = stretch_from(begin, zone);
    // A change of the daylight-saving flag alone is no change for us.
    const bool is_new = next.offset != stretches.back().offset || next.abbreviation != stretches.back().abbreviation;
    if (is_new) stretches.push_back(std::move(next));
  }
  return stretches;
}

/// The zone that the file holds, as absl reads it. The file may be replaced between our look at it and absl's, who
/// would then keep the new rules under the name of the old contents for ever; such a name is not used again.
Result<absl::TimeZone> load_with_absl(const std::filesystem::path& path) {
  // Absl guards its table with a lock of its own, made on first use in a library that the thread sanitizer cannot look
  // into.
  static std::mutex mutex;
  static std::map<std::string, std::size_t> spoilt;
  const std::lock_guard lock{mutex};
  for (int attempt = 0; attempt < 10; ++attempt) {
    const std::string contents = TRY(read_file(path));
    const std::string alias = alias_of(path, contents);
    absl::TimeZone zone;
    const bool is_read = is_whole_tzif(contents) &&
                         absl::LoadTimeZone(alias + std::string(spoilt[alias], '/') + path.filename().native(), &zone);
    const bool is_same = TRY(read_file(path)) == contents;
    if (is_same && is_read) return zone;
    if (is_same) return fail(ErrorCode::corrupt, "{} is not a readable time zone file", path.native());
    ++spoilt[alias];
  }
  return fail(ErrorCode::unavailable, "{} changes faster than it can be read", path.native());
}

}  // namespace

Result<ZonePtr> load_zone(std::string_view name, const std::filesystem::path& path) {
  const absl::TimeZone zone = TRY(load_with_absl(path));
  auto stretches = TRY(while_doing(stretches_of(zone), "reading {}", path.native()));
  return Zone::make(std::string{name}, std::move(stretches));
}

}  // namespace carillon
