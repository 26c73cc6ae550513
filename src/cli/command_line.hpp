#pragma once

#include "cli/console.hpp"
#include "cli/server_side.hpp"
#include "ports/zone_source.hpp"

#include <span>
#include <string>

namespace carillon {

/// Does what one command line says; `arguments` are without the name of the program. Answers go to standard output,
/// everything else to standard error. The result is the exit code of the process. `CARILLON_NOW` in the environment
/// stands for the clock.
[[nodiscard]] int run(std::span<const std::string> arguments, Console& console, ZoneSource& zones, ServerSide& server);

}  // namespace carillon
