#pragma once

#include "base/instant.hpp"
#include "cli/command_line/arguments.hpp"
#include "cli/command_line/exit_code.hpp"
#include "cli/connection/confirming_transport.hpp"
#include "cli/connection/local_server.hpp"
#include "cli/settings/settings.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/paint.hpp"
#include "cli/terminal/printable.hpp"
#include "client/transport.hpp"
#include "ports/zone_source.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// What every command has at hand while it runs.
struct Session {
  Console& console;
  ZoneSource& zones;
  LocalServer& server;
  Transport& transport;  // to a server
  Instant now;
  Paint paint;                                        // of standard output
  Consent consent{};                                  // to write where a context wants to be asked
  std::unique_ptr<Transport> confirming_transport{};  // in front of `transport` in such a context

  std::optional<Settings> settings{};  // once settings_for() has read them

  std::vector<std::string>* warnings = nullptr;  // where warnings go; null: standard error

  /// This moment, for ages and lengths: with fractions of a second, and as it is when it is asked for. CARILLON_NOW
  /// stands for it too.
  [[nodiscard]] Instant exact_now() const {
    const auto fixed = console.environment("CARILLON_NOW");
    return fixed && !fixed->empty() ? now : std::max(now, console.clock());
  }

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

/// The settings of this command line, read once however often they are asked for. Errors as of load_settings.
[[nodiscard]] Result<const Settings*> settings_for(const Arguments& arguments, Session& session);

}  // namespace carillon::cli
