#include "executors/process/handler_commands.hpp"

#include <utility>
#include <variant>

namespace carillon {

std::vector<std::string> types_of(const HandlerCommandMap& handlers) {
  std::vector<std::string> types;
  for (const auto& [type, command] : handlers) types.push_back(type);
  return types;
}

Result<CommandAction> command_for(const HandlerCommandMap& handlers, const std::string& type, std::string envelope) {
  const auto found = handlers.find(type);
  if (found == handlers.end())
    return fail(ErrorCode::not_found, "this worker has no handler for jobs of type {}", type);
  CommandAction command = found->second;
  command.standard_input = std::move(envelope);
  // Its run is this worker's alone: nobody else could go on with it.
  command.on_owner_loss = OnOwnerLoss::kill;
  return command;
}

HandlerCommands::HandlerCommands(HandlerCommandMap handlers, Executor& commands, AttemptEvents& events,
                                 EnvelopeText envelope_text)
    : handlers_{std::move(handlers)}, commands_{commands}, events_{events}, envelope_text_{std::move(envelope_text)} {}

void HandlerCommands::launch(Assignment assignment) {
  const auto* job = std::get_if<JobAction>(&assignment.action);
  auto text = envelope_text_(assignment.envelope);
  auto command = text ? command_for(handlers_, job == nullptr ? std::string{} : job->type, *std::move(text))
                      : std::unexpected(text.error());
  if (!command)
    return events_.ended(assignment.key, {.outcome = AttemptOutcome::failed, .error = command.error().message});
  assignment.action = *std::move(command);
  commands_.launch(std::move(assignment));
}

}  // namespace carillon
