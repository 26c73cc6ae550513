#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"

#include <spawn.h>
#include <sys/wait.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): not declared everywhere

namespace carillon::cli {

namespace {

bool has_display(const Console& console) {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    if (const auto value = console.environment(name); value && !value->empty()) return true;
  }
  return false;
}

/// Tells whether a browser has been asked to show it.
bool shown(std::string url) {
  std::string program = "xdg-open";
  char* arguments[] = {program.data(), url.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return false;
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Result<ExitCode> open_command(const Arguments& arguments, Session& session) {
  Client client = TRY(connect(arguments, session));
  const client::SignInLink link = TRY(client.create_sign_in_link()).value;
  const std::string url = client.endpoint().url + link.path;
  session.console.write(url + '\n');
  session.console.write_error("the link works once, for ten minutes\n");
  if (arguments.has("print")) return ExitCode::ok;
  if (has_display(session.console) && !shown(url))
    session.console.write_error("could not start a browser; open the address above\n");
  return ExitCode::ok;
}

}  // namespace

const Verb open_verb{
    .name = "open",
    .targets = "",
    .summary = "Prints a link that signs a browser in to the dashboard, and opens it if there is a display.",
    .examples = {"carillon open", "carillon open --print", "carillon open --context production"},
    .group = VerbGroup::yourself,
    .flags =
        [] {
          return joined({{{.names = "--print", .form = {}, .text = "only print the link; do not open a browser"}},
                         server_flags()});
        },
    .perform = open_command,
};

}  // namespace carillon::cli
