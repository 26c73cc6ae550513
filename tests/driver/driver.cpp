// carillon_driver DIR [WORKERS [LEASE]]: a server in DIR that grants commands from standard input, one line each, and
// stops at its end. Says `{"result":"ready"}` when it runs. LEASE is in seconds. Requests may go to this machine.

#include "driver/command_lines.hpp"
#include "logging/stream_log.hpp"
#include "runtime/system_clock.hpp"
#include "server/server.hpp"
#include "zones/system_zone_source.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

void say(const std::string& line) { std::cout << line << std::endl; }

struct Arguments {
  std::string folder;
  std::size_t worker_count = 16;
  std::chrono::seconds lease{30};
};

int run(const Arguments& arguments) {
  using namespace carillon;
  SystemClock clock;
  SystemZoneSource zones;
  StreamLog log{clock, STDERR_FILENO, StreamLog::Form::json};
  auto server = Server::open({.data = arguments.folder,
                              .worker_count = arguments.worker_count,
                              .allowed_egress = {Cidr::parse("127.0.0.0/8").value()},
                              .stop_timeout = std::chrono::seconds{10},
                              .lease = arguments.lease},
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
    std::cerr << "carillon_driver DIR [WORKERS [LEASE]]\n";
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  Arguments read{.folder = arguments[1]};
  if (argument_count > 2) read.worker_count = static_cast<std::size_t>(std::atoi(arguments[2]));
  if (argument_count > 3) read.lease = std::chrono::seconds{std::atoi(arguments[3])};
  return run(read);
}
