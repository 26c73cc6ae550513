#include "cli/settings/providers_file.hpp"

#include "cli/settings/settings_file.hpp"

#include <filesystem>

namespace carillon::cli {

namespace fs = std::filesystem;

FlagSpecs providers_flag() {
  return {{.names = "--providers",
           .form = "FILE",
           .text = "who answers the questions of pipelines; default: CARILLON_PROVIDERS, then providers.yaml in "
                   "~/.config/carillon and /etc/carillon"}};
}

std::optional<std::string> providers_file(const Arguments& arguments, const Console& console) {
  if (auto named = arguments.value("providers")) return named;
  if (auto named = console.environment("CARILLON_PROVIDERS"); named && !named->empty()) return named;
  std::error_code ignored;
  if (const auto settings = user_settings_path(console)) {
    const fs::path own = settings->parent_path() / "providers.yaml";
    if (fs::exists(own, ignored)) return own.string();
  }
  const fs::path everybodys{"/etc/carillon/providers.yaml"};
  if (fs::exists(everybodys, ignored)) return everybodys.string();
  return std::nullopt;
}

}  // namespace carillon::cli
