#include "service/command_rules.hpp"

#include "base/quoted.hpp"

#include <fmt/format.h>

#include <variant>

namespace carillon {
namespace {

std::string how_to_get_it(const Caller& caller) {
  if (caller.name_space)
    return fmt::format(
        "ask an admin for: carillon token create NAME --role editor --execute --namespace {0}, on a server started "
        "with --allow-commands {0}",
        caller.name_space->text());
  return "ask an admin for: carillon token create NAME --role editor --execute";
}

}  // namespace

bool CommandRules::allows(const StoredToken& token) const {
  if (token.role != Role::admin && !token.may_execute) return false;
  return !token.name_space || namespaces.contains(*token.name_space);
}

Served<> expect_execute(const Caller& caller, std::string_view kind) {
  if (caller.may_execute()) return {};
  return std::unexpected(Refusal{Refusal::Kind::forbidden, "execute_required",
                                 fmt::format("defining a {} needs a token with the scope execute", kind),
                                 how_to_get_it(caller)});
}

bool can_start_programs(const Action& action) {
  return std::holds_alternative<CommandAction>(action) || std::holds_alternative<PipelineAction>(action);
}

Served<> expect_execute(const Caller& caller, const Action& action) {
  return can_start_programs(action) ? expect_execute(caller, kind_of(action)) : Served<>{};
}

Served<> expect_user(const CommandRules& rules, const Action& action) {
  const auto* command = std::get_if<CommandAction>(&action);
  if (command == nullptr || !command->user || !rules.users || rules.users->allows(*command->user)) return {};
  return std::unexpected(
      Refusal{Problems{{.pointer = "/action/command/user",
                        .code = "not-allowed",
                        .message = fmt::format("this server does not run commands as user {}", quoted(*command->user)),
                        .hint = fmt::format("leave it out to run as {}, or start the server with --allow-user {}",
                                            rules.users->own, *command->user),
                        .position = {}}}});
}

}  // namespace carillon
