#include "executors/process/make_program.hpp"

#include "base/quoted.hpp"
#include "executors/process/resource_limits.hpp"
#include "executors/process/user.hpp"

#include <string>
#include <utility>
#include <vector>

namespace carillon {
namespace {

std::vector<std::string> arguments_of(const CommandAction& command) {
  if (!command.shell) return command.argv;
  std::vector<std::string> arguments{"/bin/sh", "-c"};
  arguments.insert(arguments.end(), command.argv.begin(), command.argv.end());
  return arguments;
}

std::size_t size_of(const std::vector<std::string>& texts) {
  std::size_t size = 0;
  for (const std::string& text : texts) size += text.size() + 1 + sizeof(char*);
  return size;
}

Result<> check(const Program& program) {
  if (program.argv.empty() || program.argv.front().empty())
    return fail(ErrorCode::invalid_argument, "the command has no program");
  for (const std::string& argument : program.argv) {
    if (argument.contains('\0'))
      return fail(ErrorCode::invalid_argument, "the argument {} has a NUL character", carillon::quoted(argument));
  }
  if (program.folder.contains('\0'))
    return fail(ErrorCode::invalid_argument, "the folder {} has a NUL character", carillon::quoted(program.folder));
  const std::size_t size = size_of(program.argv) + size_of(program.environment);
  if (size > program_size_max) {
    return fail(ErrorCode::invalid_argument, "arguments and environment have {} bytes together, more than {}", size,
                program_size_max);
  }
  return {};
}

}  // namespace

Result<Program> make_program(const CommandAction& command, const Envelope& envelope, const TextMap& secrets,
                             const ProcessOptions& options) {
  Program program{.argv = arguments_of(command),
                  .environment = {},
                  .folder = command.cwd.value_or(options.folder),
                  .identity = {},
                  .limits = TRY(resource_limits(command.limits))};
  TextMap base = options.environment;
  // Asked again although it was when the schedule was saved: the server may have been started otherwise since.
  if (command.user && options.users && !options.users->allows(*command.user))
    return fail(ErrorCode::invalid_argument,
                "this server does not run commands as user {}: it must be started with --allow-user {}",
                carillon::quoted(*command.user), *command.user);
  if (const std::string name = command.user.value_or(options.run_as); !name.empty()) {
    User user = TRY(find_user(name));
    base.insert_or_assign("HOME", user.home);
    base.insert_or_assign("SHELL", user.shell);
    base.insert_or_assign("USER", user.identity.name);
    base.insert_or_assign("LOGNAME", user.identity.name);
    program.identity = std::move(user.identity);
  }
  program.environment = TRY(environment_of(std::move(base), command.env, envelope, resolver_of(secrets)));
  TRY(check(program));
  return program;
}

}  // namespace carillon
