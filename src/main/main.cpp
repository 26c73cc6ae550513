#include "cli/command_line.hpp"
#include "cli/command_line/exit_code.hpp"
#include "cli/terminal/system_console.hpp"
#include "client/curl_transport.hpp"
#include "main/server_commands.hpp"
#include "zones/system_zone_source.hpp"

#include <sysexits.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

/// Of an exception that nobody has caught, on any thread. Nothing can be relied on any more, memory least of all; what
/// was acknowledged is in the store, and the next start goes on from there.
[[noreturn]] void end_without_core() {
  static constexpr char message[] =
      "carillon: ended by an exception, probably out of memory or threads; nothing acknowledged is lost; restart it\n";
  (void)!::write(STDERR_FILENO, message, sizeof message - 1);
  ::_exit(EX_TEMPFAIL);
}

int run(const std::vector<std::string>& words) {
  carillon::cli::SystemConsole console;
  carillon::SystemZoneSource zones;
  carillon::ServerCommands server{zones};
  carillon::CurlTransport transport;
  return carillon::cli::run(words, {.console = console, .zones = zones, .server = server, .transport = transport});
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::set_terminate(end_without_core);
  // A reader who goes away is seen by the next write.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow is an error of the write, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run({arguments + (argument_count > 0 ? 1 : 0), arguments + argument_count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carillon: the system is out of memory, threads or files: %s\n", error.what());
    return static_cast<int>(carillon::cli::ExitCode::failed);
  }
}
