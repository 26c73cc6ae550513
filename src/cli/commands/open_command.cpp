#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"

#include <fmt/format.h>
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
  const Client client = TRY(connect(arguments, session));
  const std::string url = client.endpoint().url + "/openapi.json";
  session.console.write(url + '\n');
  session.console.write_error("this is the API description (OpenAPI); there is no dashboard yet\n");
  if (arguments.has("print")) return ExitCode::ok;
  const auto answer = session.transport.perform({.url = url, .authority_file = client.endpoint().authority_file});
  if (answer && answer->status == 401) {
    session.console.write_error(
        fmt::format("a browser sends no token; use: curl -H \"Authorization: Bearer $CARILLON_TOKEN\" {}\n", url));
    return ExitCode::ok;
  }
  if (has_display(session.console) && !shown(url))
    session.console.write_error("could not start a browser; open the address above\n");
  return ExitCode::ok;
}

}  // namespace

const Verb open_verb{
    .name = "open",
    .targets = "",
    .summary = "Prints the address of the server's API description, and opens it in a browser if there is a display.",
    .examples = {"carillon open", "carillon open --print",
                 "curl -H \"Authorization: Bearer $CARILLON_TOKEN\" \"$(carillon open --print)\""},
    .group = VerbGroup::yourself,
    .flags =
        [] {
          return joined({{{.names = "--print", .form = {}, .text = "only print the address; do not open a browser"}},
                         server_flags()});
        },
    .perform = open_command,
};

}  // namespace carillon::cli
