#pragma once

#include "cli/connection/local_server.hpp"
#include "cli/terminal/console.hpp"
#include "client/transport.hpp"
#include "ports/zone_source.hpp"

#include <span>
#include <string>

namespace carillon::cli {

/// The world around a command line.
struct Dependencies {
  Console& console;
  ZoneSource& zones;
  LocalServer& server;
  Transport& transport;
};

/// Does what one command line says; `arguments` are without the name of the program. Answers go to standard output,
/// everything else to standard error. The result is the exit code of the process. `CARILLON_NOW` in the environment
/// stands for the clock.
[[nodiscard]] int run(std::span<const std::string> arguments, const Dependencies& world);

}  // namespace carillon::cli
