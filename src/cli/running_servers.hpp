#pragma once

#include "base/instant.hpp"
#include "cli/console.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace carillon {

/// A server that runs on this machine, as it wrote down itself.
struct RunningServer {
  std::string url;
  std::filesystem::path token_file;
  std::filesystem::path data;
  pid_t pid = 0;
  Instant started_at{};
};

/// `server.json` in a folder of data.
[[nodiscard]] std::filesystem::path record_in(const std::filesystem::path& data);
/// `$XDG_STATE_HOME/carillon/servers`, where servers of this user are found whatever their folder; empty without a
/// home.
[[nodiscard]] std::filesystem::path record_folder(const Console& console);

[[nodiscard]] std::string to_record(const RunningServer& server);

/// Those of this user, that of the folder we stand in, and that of the machine; none that has ended. The nearest first:
/// whose data is in this folder, then the newest.
[[nodiscard]] std::vector<RunningServer> running_servers(const Console& console);

}  // namespace carillon
