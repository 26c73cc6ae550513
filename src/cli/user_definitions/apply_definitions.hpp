#pragma once

#include "cli/command_line/arguments.hpp"
#include "cli/connection/session.hpp"
#include "cli/user_definitions/definition_files.hpp"

#include <string>
#include <vector>

namespace carillon::cli {

/// Makes a server's schedules what these say, and tells what became of each. The server is asked about all of them
/// first, and nothing is sent if it would refuse one. With labels, schedules that have them and are none of these are
/// deleted, after a question. The flags are those of `apply`: --dry-run, --yes, --no-input, -o and the server's.
[[nodiscard]] Result<ExitCode> apply_definitions(const std::vector<DefinedSchedule>& schedules,
                                                 const std::vector<std::string>& prune_labels,
                                                 const Arguments& arguments, Session& session);

}  // namespace carillon::cli
