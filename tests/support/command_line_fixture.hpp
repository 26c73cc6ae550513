#pragma once

#include "cli/command_line.hpp"
#include "support/fixed_zone_source.hpp"
#include "support/scripted_console.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace carillon {

/// What one command line did.
struct Told {
  int exit_code = 0;
  std::string output;
  std::string error;
};

/// Runs `carillon …` on a given console.
inline Told carillon_on(ScriptedConsole& console, const std::vector<std::string>& arguments) {
  FixedZoneSource zones;
  const int exit_code = run(arguments, console, zones);
  return {.exit_code = exit_code, .output = console.output, .error = console.error};
}

/// Runs `carillon …` on Thursday, 29 October 2026, 14:22:05 UTC, not on a terminal, in a UTF-8 locale.
inline Told carillon_says(const std::vector<std::string>& arguments) {
  ScriptedConsole console;
  return carillon_on(console, arguments);
}

}  // namespace carillon
