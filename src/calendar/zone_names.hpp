#pragma once

#include "base/error.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace carillon {

/// The zone names of one edition of tzdata.
struct ZoneNames {
  std::string version;                                    // `2026f`, or `unknown`
  std::set<std::string, std::less<>> names;               // all that can be loaded, accepted or not
  std::map<std::string, std::string, std::less<>> links;  // alias → the name it stands for
  std::set<std::string, std::less<>> current;             // names in today's table of countries

  /// The name that replaced an old one (`US/Pacific` → America/Los_Angeles), or empty.
  [[nodiscard]] std::string_view renamed_to(std::string_view name) const;
};

/// Accepts names with a region (`Europe/Berlin`, `Etc/GMT+5`), `UTC` and `GMT`. Refuses abbreviations, POSIX rules,
/// paths, wrong case and unknown names, with the nearest right name as hint (rule "unknown-zone").
[[nodiscard]] Result<void> check_zone_name(std::string_view name, const ZoneNames& known);

}  // namespace carillon
