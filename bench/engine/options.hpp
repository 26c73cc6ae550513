#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace carillon::bench {

/// How schedules lie in the file: those that are due together side by side, as the store puts them when it can, or
/// anywhere, which is the worst there is.
enum class Order { neighbours, scattered };

struct Options {
  std::string what;
  std::filesystem::path folder;
  std::size_t schedules = 100'000;
  std::size_t due = 2'000;  // per round, of `starts` and `runs`
  std::optional<std::size_t> rounds{};
  std::size_t warm_up = 10;               // rounds before the measured ones, of `starts` and `runs`
  std::optional<std::size_t> capacity{};  // attempts at a time
  std::size_t rate = 100;                 // starts per second, of `lateness`
  std::size_t seconds = 20;               // of `lateness` and `idle`
  std::size_t user_writes = 50;           // per second, of `lateness`
  std::size_t commands = 2'000;           // per round, of `commands`
  Order order = Order::scattered;
  bool is_aligned = false;  // `lateness`: due at whole seconds only, as crons are
  bool reuse = false;       // go on with the file of an earlier call
};

/// Ends the program with usage if they cannot be understood.
[[nodiscard]] Options read_options(std::span<char*> arguments);

}  // namespace carillon::bench
