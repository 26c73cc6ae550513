#pragma once

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/console.hpp"

#include <optional>
#include <string>

namespace carillon {

/// A value, and who said so: `--server`, `CARILLON_SERVER`, a file.
struct Setting {
  std::string value;
  std::string origin;
};

/// What can be set for every command. A flag beats the environment, that the project's `.carillon.yaml` (this folder or
/// the nearest above), that the user's `$XDG_CONFIG_HOME/carillon/config.yaml`, that `/etc/carillon/config.yaml`.
/// A context, if there is one, stands between the environment and the files.
struct Settings {
  std::optional<Setting> server;
  std::optional<Setting> token;  // only from the environment: never in argv, never in a file
  std::optional<Setting> token_file;
  std::optional<Setting> authority_file;
  std::optional<Setting> name_space;
  std::optional<Setting> timezone;
  std::optional<Setting> context;
};

[[nodiscard]] Result<Settings> load_settings(const Arguments& arguments, const Console& console);

/// The zone this machine is set to: TZ, else where /etc/localtime points to; `UTC` if it cannot be told.
[[nodiscard]] std::string local_zone_name(const Console& console);

}  // namespace carillon
