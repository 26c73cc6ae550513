#pragma once

#include "cli/command_line.hpp"
#include "support/fixed_zone_source.hpp"
#include "support/manual_clock.hpp"
#include "support/scripted_console.hpp"
#include "support/scripted_transport.hpp"

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// Providers that may be asked at a fixed time and know one secret, `${secret:key}`.
class ScriptedProviderAccess final : public cli::ProviderAccess {
 public:
  Clock& clock() override { return clock_; }
  pipeline::ProviderSurroundings surroundings() override {
    return {.secrets = resolver_of({{"${secret:key}", "hunter2-and-more"}})};
  }

 private:
  ManualClock clock_;
};

/// Keeps what a server would have been asked for.
class RecordedServer final : public cli::LocalServer {
 public:
  Result<cli::ExitCode> serve(const cli::ServeRequest& request, cli::Console&) override {
    served = request;
    return cli::ExitCode::ok;
  }
  Result<cli::ExitCode> work(const cli::WorkRequest& request, cli::Console&) override {
    worked = request;
    return cli::ExitCode::ok;
  }
  Result<cli::ExitCode> migrate_store(const std::string& url, cli::Console&) override {
    migrated = url;
    return cli::ExitCode::ok;
  }
  Result<cli::ExitCode> copy_store(const std::string& from, const std::string& to, cli::Console&) override {
    copied = {from, to};
    return cli::ExitCode::ok;
  }
  Result<cli::ExitCode> export_ledger(const std::string& data, cli::Console&) override {
    exported = data;
    return cli::ExitCode::ok;
  }

  Result<cli::StoreFacts> inspect_store(const std::string& data, cli::StoreCheck) override {
    inspected = data;
    return cli::StoreFacts{};
  }
  Result<std::unique_ptr<cli::ProviderAccess>> open_provider_access(const cli::ProviderAccessRequest&) override {
    return std::make_unique<ScriptedProviderAccess>();
  }

  std::optional<cli::ServeRequest> served;
  std::optional<cli::WorkRequest> worked;
  std::optional<std::string> migrated;
  std::optional<std::pair<std::string, std::string>> copied;
  std::optional<std::string> exported;
  std::optional<std::string> inspected;
};

/// What one command line did.
struct Told {
  int exit_code = 0;
  std::string output;
  std::string error;
  RecordedServer server{};
};

/// Runs `carillon …` on a given console.
inline Told carillon_on(ScriptedConsole& console, ScriptedTransport& transport,
                        const std::vector<std::string>& arguments) {
  FixedZoneSource zones;
  Told told;
  told.exit_code =
      cli::run(arguments, {.console = console, .zones = zones, .server = told.server, .transport = transport});
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
