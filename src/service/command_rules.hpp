#pragma once

#include "definitions/action.hpp"
#include "definitions/command_users.hpp"
#include "service/caller.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace carillon {

/// What a server allows of commands, for every caller.
struct CommandRules {
  std::set<std::string, std::less<>> namespaces{};  // in which a token bound to it may have the scope execute
  std::optional<CommandUsers> users{};              // none: any user that the server can become
  bool can_read_data = false;                       // the data folder is not hidden from them

  /// Whether this token may define commands here and now.
  [[nodiscard]] bool allows(const StoredToken& token) const;
};

/// Whether runs of this action start programs on this machine: commands do, pipelines may, since their provider can be
/// a program.
[[nodiscard]] bool can_start_programs(const Action& action);

/// Refused unless the caller may define what starts programs; `kind` is named in the refusal.
[[nodiscard]] Served<> expect_execute(const Caller& caller, std::string_view kind = "command");
/// The same, if the action can start one.
[[nodiscard]] Served<> expect_execute(const Caller& caller, const Action& action);

/// Refused if the command names a user that this server does not allow.
[[nodiscard]] Served<> expect_user(const CommandRules& rules, const Action& action);

}  // namespace carillon
