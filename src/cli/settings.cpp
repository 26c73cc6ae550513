#include "cli/settings.hpp"

#include <filesystem>
#include <string_view>

namespace carillon {

namespace {

std::optional<Setting> from_flag(const Arguments& arguments, std::string_view flag) {
  if (!arguments.knows(flag) || !arguments.has(flag)) return std::nullopt;
  return Setting{.value = *arguments.value(flag), .origin = "--" + std::string{flag}};
}

std::optional<Setting> from_environment(const Console& console, const std::string& name) {
  const auto value = console.environment(name);
  if (!value || value->empty()) return std::nullopt;
  return Setting{.value = *value, .origin = name};
}

std::optional<Setting> first(std::optional<Setting> one, std::optional<Setting> other) { return one ? one : other; }

}  // namespace

Result<Settings> load_settings(const Arguments& arguments, const Console& console) {
  return Settings{
      .server = first(from_flag(arguments, "server"), from_environment(console, "CARILLON_SERVER")),
      .token = arguments.has("token-file") ? std::nullopt : from_environment(console, "CARILLON_TOKEN"),
      .token_file = first(from_flag(arguments, "token-file"), from_environment(console, "CARILLON_TOKEN_FILE")),
      .authority_file = from_environment(console, "CARILLON_CA_FILE"),
      .name_space = first(from_flag(arguments, "namespace"), from_environment(console, "CARILLON_NAMESPACE")),
      .timezone = first(from_flag(arguments, "display-tz"), from_environment(console, "CARILLON_TZ")),
      .context = first(from_flag(arguments, "context"), from_environment(console, "CARILLON_CONTEXT")),
  };
}

std::string local_zone_name(const Console& console) {
  if (const auto name = console.environment("TZ"); name && !name->empty())
    return name->starts_with(':') ? name->substr(1) : *name;
  std::error_code unknown;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", unknown).string();
  constexpr std::string_view folder = "zoneinfo/";
  const std::size_t place = target.rfind(folder);
  if (unknown || place == std::string::npos) return "UTC";
  return target.substr(place + folder.size());
}

}  // namespace carillon
