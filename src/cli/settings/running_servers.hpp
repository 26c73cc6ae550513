#pragma once

#include "base/instant.hpp"
#include "cli/terminal/console.hpp"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace carillon::cli {

/// A server that runs on this machine, as it wrote down itself.
struct RunningServer {
  std::string url;
  std::filesystem::path data;
  pid_t pid = 0;
  Instant started_at{};
  std::optional<uid_t> other_owner = {};  // of its files, where that is not this user or root but known all the same
  bool is_of_this_folder = false;         // its data is in this folder: ./carillon-data, pipelines/.carillon, …

  [[nodiscard]] std::filesystem::path token_file() const { return data / "admin.token"; }
};

/// `server.json` in a folder of data.
[[nodiscard]] std::filesystem::path record_in(const std::filesystem::path& data);
/// `$XDG_STATE_HOME/carillon/servers`, where servers of this user are found whatever their folder; empty without a
/// home.
[[nodiscard]] std::filesystem::path record_folder(const Console& console);

[[nodiscard]] std::string to_record(const RunningServer& server);

struct RunningServers {
  std::vector<RunningServer> servers;
  std::vector<std::string> warnings;  // records that are not trusted, and why
};

/// Those of this user, that of the folder we stand in, and that of the machine; none that has ended. The nearest first:
/// whose data is in this folder, then the newest.
///
/// A record is trusted only if it and its folder belong to this user or root and nobody else may write to them, and if
/// its address is one of this machine alone (127.0.0.1, [::1]). The record of `/var/lib/carillon` may belong to the
/// user whom that folder was given to.
[[nodiscard]] RunningServers find_running_servers(const Console& console);
/// The same, without warnings.
[[nodiscard]] std::vector<RunningServer> running_servers(const Console& console);

}  // namespace carillon::cli
