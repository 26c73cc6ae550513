#pragma once

#include "base/error.hpp"
#include "cli/command_line/exit_code.hpp"
#include "cli/connection/local_server.hpp"
#include "cli/terminal/console.hpp"

namespace carillon {

/// `carillon worker --server URL`: performs jobs of a server over HTTP until it is asked to stop.
[[nodiscard]] Result<cli::ExitCode> work_for_server(const cli::WorkRequest& request, cli::Console& console);

}  // namespace carillon
