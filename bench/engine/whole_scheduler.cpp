// The whole scheduler on SQLite: the real store in a real file, made durable as in a server, the real decider and
// worker; what is performed is nothing, unless `commands` are measured. bench/README.md says what the numbers mean, and
// bench/engine/run compares them with peers.

#include "measurements.hpp"
#include "options.hpp"
#include "stores/sqlite/process_memory.hpp"

#include <fmt/core.h>

#include <map>
#include <span>
#include <string_view>

int main(int argc, char** argv) {
  using namespace carillon::bench;
  const Options options = read_options(std::span{argv, static_cast<std::size_t>(argc)});
  const std::map<std::string_view, void (*)(const Options&)> measurements{
      {"starts", measure_starts},     {"runs", measure_runs}, {"burst", measure_burst},
      {"lateness", measure_lateness}, {"idle", measure_idle}, {"commands", measure_commands}};
  const auto found = measurements.find(options.what);
  if (found == measurements.end()) {
    fmt::print(stderr, "there is no measurement {}\n", options.what);
    return 2;
  }
  carillon::prepare_sqlite_memory();  // as a server does
  found->second(options);
}
