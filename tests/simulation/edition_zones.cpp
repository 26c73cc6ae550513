#include "simulation/edition_zones.hpp"

#include <chrono>
#include <vector>

namespace carillon::simulation {

namespace {

constexpr std::string_view lord_howe_name = "Australia/Lord_Howe";
constexpr UtcSecond first_second = -2'208'988'800;  // 1900

UtcSecond second_of(std::string_view text) {
  return std::chrono::floor<std::chrono::seconds>(parse_instant(text).value()).time_since_epoch().count();
}

ZonePtr make_lord_howe() {
  return Zone::make(std::string{lord_howe_name}, {{first_second, 39'600, "+11"},
                                                  {second_of("2026-04-04T15:00:00Z"), 37'800, "+1030"},
                                                  {second_of("2026-10-03T15:30:00Z"), 39'600, "+11"},
                                                  {second_of("2027-04-03T15:00:00Z"), 37'800, "+1030"},
                                                  {second_of("2027-10-02T15:30:00Z"), 39'600, "+11"}})
      .value();
}

}  // namespace

EditionZones::EditionZones() : lord_howe_{make_lord_howe()} {}

Result<ZonePtr> EditionZones::original(std::string_view name) {
  if (name == lord_howe_name) return lord_howe_;
  return fixed_.zone(name);
}

EditionZones::EditionZones(std::string name, Instant change_at, std::int32_t shift) : EditionZones{} {
  const ZonePtr before = original(name).value();
  const UtcSecond change = std::chrono::floor<std::chrono::seconds>(change_at).time_since_epoch().count();
  std::vector<ZoneStretch> stretches;
  Zone::Index index = 0;
  for (; index < before->period_count() && before->period(index).begin < change; ++index) {
    const Zone::Period& period = before->period(index);
    stretches.push_back({.begin = index == 0 ? first_second : period.begin,
                         .offset = static_cast<std::int32_t>(period.offset),
                         .abbreviation = "OLD"});
  }
  const auto offset = static_cast<std::int32_t>(before->offset_at(change - 1)) + shift;
  stretches.push_back({.begin = change, .offset = offset, .abbreviation = "NEW"});
  changed_ = Zone::make(std::move(name), std::move(stretches)).value();
  auto names = std::make_shared<ZoneNames>(*fixed_.names());
  names->version = "2026c";
  names_ = std::move(names);
}

}  // namespace carillon::simulation
