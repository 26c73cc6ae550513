#pragma once

#include "base/error.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/terminal/console.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon::cli {

/// A value, and who said so: `--server`, `CARILLON_SERVER`, `/etc/carillon/config.yaml:3`.
struct Setting {
  std::string value;
  std::string origin;
};

/// What can be set for every command. A flag beats the environment, that the project's `.carillon.yaml` (this folder or
/// the nearest above), that the user's `$XDG_CONFIG_HOME/carillon/config.yaml`, that `/etc/carillon/config.yaml`.
/// A context, if there is one, stands between the environment and the files; one that is named by `--context`, between
/// the flags and the environment.
///
/// A token file that stands beside the address of a server goes to that server only.
struct Settings {
  std::optional<Setting> server;
  std::optional<Setting> token;  // only from the environment: never in argv, never in a file
  std::optional<Setting> token_file;
  std::optional<Setting> authority_file;
  std::optional<Setting> name_space;
  std::optional<Setting> timezone;
  std::optional<Setting> context;
  bool asks_before_writing = false;  // the context says so
  /// The server is named by a project's file, which may be anybody's: only a token of that project goes there.
  bool is_server_of_project = false;
  bool is_token_of_project = false;
};

/// Errors: a file that cannot be read or has a key nobody knows (with its line), a context that does not exist.
[[nodiscard]] Result<Settings> load_settings(const Arguments& arguments, const Console& console);

/// Refuses to hand a token to a server that only a project's file names: whoever clones a project would give it away.
[[nodiscard]] Result<> check_token_may_go(const Settings& settings);

/// An address without the slash at its end; `host:port` alone is meant as http.
[[nodiscard]] Result<std::string> server_url(std::string_view text);

/// The zone this machine is set to: TZ, else where /etc/localtime points to; `UTC` if it cannot be told.
[[nodiscard]] std::string local_zone_name(const Console& console);

}  // namespace carillon::cli
