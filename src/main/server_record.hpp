#pragma once

#include "cli/settings/running_servers.hpp"
#include "cli/terminal/console.hpp"
#include "ports/log.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace carillon {

/// What a running server writes down so that the command line finds it: in its folder of data, and in the state folder
/// of its user. Gone when the server has stopped; what a killed one left is passed over by readers.
class ServerRecord {
 public:
  /// Without a record the server works all the same: a failure is only logged.
  ServerRecord(const cli::RunningServer& server, const cli::Console& console, Log& log);
  ServerRecord(const ServerRecord&) = delete;
  ServerRecord& operator=(const ServerRecord&) = delete;
  ~ServerRecord();

 private:
  std::string text_;
  std::vector<std::filesystem::path> files_;
};

/// How to call this program from anywhere: `carillon` if that is what PATH finds, else its whole path.
[[nodiscard]] std::string program_name(const cli::Console& console);

}  // namespace carillon
