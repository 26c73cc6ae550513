#pragma once

#include "definitions/action.hpp"
#include "definitions/command_users.hpp"
#include "service/caller.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace carillon {

/// What a server allows of commands, for every caller.
struct CommandRules {
  std::set<std::string, std::less<>> namespaces{};  // in which a token bound to it may have the scope execute
  std::optional<CommandUsers> users{};              // none: any user that the server can become
  bool can_read_data = false;                       // the data folder is not hidden from them

  /// Whether this token may define commands here and now.
  [[nodiscard]] bool allows(const StoredToken& token) const;
};

/// Refused unless the caller may define commands.
[[nodiscard]] Served<> expect_execute(const Caller& caller);
/// The same, if the action is a command.
[[nodiscard]] Served<> expect_execute(const Caller& caller, const Action& action);

/// Refused if the command names a user that this server does not allow.
[[nodiscard]] Served<> expect_user(const CommandRules& rules, const Action& action);

}  // namespace carillon
