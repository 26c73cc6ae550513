#include "cli/command_line.hpp"
#include "cli/system_console.hpp"
#include "client/curl_transport.hpp"
#include "main/server_commands.hpp"
#include "zones/system_zone_source.hpp"

#include <csignal>
#include <string>
#include <vector>

int main(int argument_count, char** arguments) {
  // A reader who goes away is seen by the next write.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> words(arguments + (argument_count > 0 ? 1 : 0), arguments + argument_count);
  carillon::SystemConsole console;
  carillon::SystemZoneSource zones;
  carillon::ServerCommands server{zones};
  carillon::CurlTransport transport;
  return carillon::run(words, {.console = console, .zones = zones, .server = server, .transport = transport});
}
