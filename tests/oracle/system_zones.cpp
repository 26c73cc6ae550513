#include "oracle/system_zones.hpp"

#include "zones/system_zone_source.hpp"

namespace carillon::oracle {
namespace {

SystemZoneSource& source() {
  static SystemZoneSource zones;
  return zones;
}

std::vector<std::string> accepted_names() {
  std::vector<std::string> accepted;
  const auto known = source().names();
  for (const std::string& name : known->names) {
    if (check_zone_name(name, *known)) accepted.push_back(name);
  }
  return accepted;
}

}  // namespace

const std::vector<std::string>& zone_names() {
  static const std::vector<std::string> names = accepted_names();
  return names;
}

ZonePtr zone_of(const std::string& name) { return source().zone(name).value(); }

}  // namespace carillon::oracle
