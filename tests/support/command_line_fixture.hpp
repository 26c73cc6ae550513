#pragma once

#include "cli/command_line/command_line.hpp"
#include "support/fixed_zone_source.hpp"
#include "support/scripted_console.hpp"
#include "support/scripted_transport.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// Keeps what a server would have been asked for.
class ListedServer final : public ServerSide {
 public:
  Result<ExitCode> serve(const ServeRequest& request, Console&) override {
    served = request;
    return ExitCode::ok;
  }
  Result<ExitCode> export_ledger(const std::string& data, Console&) override {
    exported = data;
    return ExitCode::ok;
  }

  Result<StoreFacts> inspect_store(const std::string& data, StoreLook) override {
    inspected = data;
    return StoreFacts{};
  }

  std::optional<ServeRequest> served;
  std::optional<std::string> exported;
  std::optional<std::string> inspected;
};

/// What one command line did.
struct Told {
  int exit_code = 0;
  std::string output;
  std::string error;
  ListedServer server{};
};

/// Runs `carillon …` on a given console.
inline Told carillon_on(ScriptedConsole& console, ScriptedTransport& transport,
                        const std::vector<std::string>& arguments) {
  FixedZoneSource zones;
  Told told;
  told.exit_code = run(arguments, {.console = console, .zones = zones, .server = told.server, .transport = transport});
  told.output = console.output;
  told.error = console.error;
  return told;
}

inline Told carillon_on(ScriptedConsole& console, const std::vector<std::string>& arguments) {
  ScriptedTransport transport;
  return carillon_on(console, transport, arguments);
}

/// Runs `carillon …` on Thursday, 29 October 2026, 14:22:05 UTC, not on a terminal, in a UTF-8 locale.
inline Told carillon_says(const std::vector<std::string>& arguments) {
  ScriptedConsole console;
  return carillon_on(console, arguments);
}

}  // namespace carillon
