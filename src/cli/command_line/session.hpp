#pragma once

#include "base/instant.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/command_line/exit_code.hpp"
#include "cli/connection/asking_transport.hpp"
#include "cli/connection/server_side.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/paint.hpp"
#include "cli/terminal/printable.hpp"
#include "client/transport.hpp"
#include "ports/zone_source.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What every command has at hand while it runs.
struct Session {
  Console& console;
  ZoneSource& zones;
  ServerSide& server;
  Transport& transport;  // to a server
  Instant now;
  Paint paint;                                    // of standard output
  Consent consent{};                              // to write where a context wants to be asked
  std::unique_ptr<Transport> asking_transport{};  // in front of `transport` in such a context

  std::vector<std::string>* warnings = nullptr;  // where warnings go; null: standard error

  /// Something a person should know beside the answer.
  void warn(std::string_view text) {
    if (warnings != nullptr)
      warnings->emplace_back(text);
    else
      console.write_error("warning: " + printable(text) + "\n");
  }
  /// Text for people, in the signs their terminal can show.
  void print(std::string_view text) { console.write(paint.signs(text)); }
};

/// `next --batch`.
[[nodiscard]] Result<ExitCode> batch_command(const Arguments& arguments, Session& session);

}  // namespace carillon
