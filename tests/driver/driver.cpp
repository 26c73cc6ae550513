// carillon_driver DIR [WORKERS]: a server in DIR that grants commands from standard input, one line each, and stops at
// its end. Says `{"result":"ready"}` when it runs.

#include "driver/command_lines.hpp"
#include "logging/stream_log.hpp"
#include "runtime/system_clock.hpp"
#include "server/server.hpp"
#include "zones/system_zone_source.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

void say(const std::string& line) { std::cout << line << std::endl; }

int run(const std::string& folder, std::size_t worker_count) {
  using namespace carillon;
  SystemClock clock;
  SystemZoneSource zones;
  StreamLog log{clock, STDERR_FILENO, StreamLog::Form::json};
  auto server = Server::open({.data = folder, .worker_count = worker_count, .stop_timeout = std::chrono::seconds{10}},
                             clock, zones, log);
  if (!server) {
    std::cerr << server.error().message << '\n';
    return server.error().code == ErrorCode::conflict ? 5 : 1;
  }
  (*server)->start();
  say(R"({"result":"ready"})");
  for (std::string line; std::getline(std::cin, line);)
    say(testing::answer(line, (*server)->commands(), (*server)->ports().schedules));
  (*server)->stop();
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 2) {
    std::cerr << "carillon_driver DIR [WORKERS]\n";
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  return run(arguments[1], argument_count > 2 ? static_cast<std::size_t>(std::atoi(arguments[2])) : 16);
}
