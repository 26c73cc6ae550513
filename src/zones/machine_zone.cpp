#include "zones/machine_zone.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>

namespace carillon {

std::string machine_zone_name(const std::string& variable) {
  if (!variable.empty()) return variable.starts_with(':') ? variable.substr(1) : variable;
  std::error_code unknown;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", unknown).string();
  constexpr std::string_view folder = "zoneinfo/";
  const std::size_t place = target.rfind(folder);
  if (unknown || place == std::string::npos) return "UTC";
  return target.substr(place + folder.size());
}

}  // namespace carillon
