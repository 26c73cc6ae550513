#include "options.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>

namespace carillon::bench {
namespace {

constexpr std::string_view usage =
    "usage: scheduler_bench starts|runs|burst|lateness|idle|commands --folder FOLDER [options]\n"
    "  --schedules N   how many exist                          --due N       of these due per round (starts, runs)\n"
    "  --rounds N      starts, runs, commands                  --capacity N  attempts at a time\n"
    "  --rate N        starts per second (lateness)            --seconds N   lateness, idle\n"
    "  --user-writes N per second (lateness)                   --commands N  per round (commands)\n"
    "  --neighbours    due schedules lie together in the file  --aligned     due at whole seconds (lateness)\n"
    "  --warm-up N     rounds that are not measured (starts, runs)\n"
    "  --reuse         go on with the file of an earlier call (starts, runs, idle)\n";

[[noreturn]] void refuse(std::string_view argument) {
  fmt::print(stderr, "cannot understand {}\n{}", argument, usage);
  std::exit(2);
}

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) refuse(text);
  return value;
}

}  // namespace

Options read_options(std::span<char*> arguments) {
  Options options;
  const std::map<std::string_view, std::size_t*> numbers{{"--schedules", &options.schedules},
                                                         {"--due", &options.due},
                                                         {"--rate", &options.rate},
                                                         {"--seconds", &options.seconds},
                                                         {"--user-writes", &options.user_writes},
                                                         {"--commands", &options.commands},
                                                         {"--warm-up", &options.warm_up}};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const auto value = [&]() -> std::string_view {
      if (++i == arguments.size()) refuse(argument);
      return arguments[i];
    };
    if (const auto found = numbers.find(argument); found != numbers.end()) {
      *found->second = number(value());
    } else if (argument == "--rounds") {
      options.rounds = number(value());
    } else if (argument == "--capacity") {
      options.capacity = number(value());
    } else if (argument == "--folder") {
      options.folder = value();
    } else if (argument == "--neighbours") {
      options.order = Order::neighbours;
    } else if (argument == "--aligned") {
      options.is_aligned = true;
    } else if (argument == "--reuse") {
      options.reuse = true;
    } else if (options.what.empty() && !argument.starts_with("-")) {
      options.what = argument;
    } else {
      refuse(argument);
    }
  }
  if (options.what.empty() || options.folder.empty()) refuse("a call without a measurement or a folder");
  return options;
}

}  // namespace carillon::bench
