#include "calendar/zone_names.hpp"

#include "base/quoted.hpp"
#include "calendar/zone_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace carillon {
namespace {

constexpr int link_count_max = 8;

struct Renaming {
  std::string_view old_name;
  std::string_view name;
};

// Places whose link in tzdata leads to another country that keeps the same time since 1970.
constexpr auto same_place = std::to_array<Renaming>({
    {"Africa/Asmera", "Africa/Asmara"},
    {"Africa/Timbuktu", "Africa/Bamako"},
    {"America/Coral_Harbour", "America/Atikokan"},
    {"America/Virgin", "America/St_Thomas"},
    {"Antarctica/South_Pole", "Antarctica/McMurdo"},
    {"Atlantic/Jan_Mayen", "Arctic/Longyearbyen"},
    {"Pacific/Ponape", "Pacific/Pohnpei"},
    {"Pacific/Truk", "Pacific/Chuuk"},
    {"Pacific/Yap", "Pacific/Chuuk"},
});

/// The end of a chain of links, or empty if the name is none.
std::string_view follow_links(std::string_view name, const ZoneNames& known) {
  std::string_view target;
  for (int i = 0; i < link_count_max; ++i) {
    const auto link = known.links.find(target.empty() ? name : target);
    if (link == known.links.end()) break;
    target = link->second;
  }
  return target;
}

}  // namespace

std::string_view ZoneNames::renamed_to(std::string_view name) const {
  // Without the table of countries nothing tells an old name from one that merely shares its rules.
  if (current.empty() || current.contains(name)) return {};
  if (!has_zone_form(name) || name == "UTC" || name == "GMT" || name.starts_with("Etc/")) return {};
  const std::string_view target = follow_links(name, *this);
  if (!has_zone_form(target)) return {};
  const auto row = std::ranges::find(same_place, name, &Renaming::old_name);
  return row != same_place.end() && current.contains(row->name) ? row->name : target;
}

Result<void> check_zone_name(std::string_view name, const ZoneNames& known) {
  // UTC needs no data.
  if (name == "UTC" || (has_zone_form(name) && known.names.contains(name))) return {};
  ZoneAdvice advice = advise_on_zone(name, known);
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = fmt::format("{} {}", quoted(name), advice.fault),
                               .hint = std::move(advice.hint),
                               .rule = "unknown-zone",
                               .position = {},
                               .context = {}});
}

}  // namespace carillon
