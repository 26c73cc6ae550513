#pragma once

#include "base/instant.hpp"
#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/exit_code.hpp"
#include "cli/paint.hpp"
#include "cli/server_side.hpp"
#include "ports/zone_source.hpp"

#include <string_view>

namespace carillon {

/// What every command has at hand while it runs.
struct Session {
  Console& console;
  ZoneSource& zones;
  ServerSide& server;
  Instant now;
  Paint paint;  // of standard output

  /// Text for people, in the signs their terminal can show.
  void print(std::string_view text) { console.write(paint.signs(text)); }
};

/// One per verb. An error is printed by the caller, who also turns it into an exit code.
[[nodiscard]] Result<ExitCode> next_command(const Arguments& arguments, Session& session);
[[nodiscard]] Result<ExitCode> batch_command(const Arguments& arguments, Session& session);
[[nodiscard]] Result<ExitCode> describe_command(const Arguments& arguments, Session& session);
[[nodiscard]] Result<ExitCode> lint_command(const Arguments& arguments, Session& session);
[[nodiscard]] Result<ExitCode> zones_command(const Arguments& arguments, Session& session);
[[nodiscard]] Result<ExitCode> serve_command(const Arguments& arguments, Session& session);
[[nodiscard]] Result<ExitCode> ledger_command(const Arguments& arguments, Session& session);
[[nodiscard]] Result<ExitCode> version_command(const Arguments& arguments, Session& session);
[[nodiscard]] Result<ExitCode> completion_command(const Arguments& arguments, Session& session);
[[nodiscard]] Result<ExitCode> help_command(const Arguments& arguments, Session& session);

}  // namespace carillon
