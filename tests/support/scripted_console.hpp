#pragma once

#include "cli/terminal/console.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace carillon {

/// A console with given input, environment and clock, that keeps what is written to it.
class ScriptedConsole final : public cli::Console {
 public:
  std::string input;
  std::size_t read_size_max = 1 << 20;
  std::size_t output_room = std::string::npos;  // bytes after which the reader goes away
  std::map<std::string, std::string> variables{{"LANG", "C.UTF-8"}};
  bool has_terminal = false;
  std::size_t terminal_columns = 0;  // 0: it does not say
  Instant time =
      std::chrono::sys_days{std::chrono::year{2026} / 10 / 29} + std::chrono::seconds{14 * 3600 + 22 * 60 + 5};

  std::string output;
  std::string error;
  std::size_t write_count = 0;

  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t length = std::min({buffer.size(), input.size() - input_taken_, read_size_max});
    std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(input_taken_), length, buffer.begin());
    input_taken_ += length;
    return length;
  }
  void write(std::string_view text) override {
    if (output_state() != OutputState::open) return;
    output += text;
    ++write_count;
  }
  void write_error(std::string_view text) override { error += text; }
  [[nodiscard]] OutputState output_state() const override {
    return output.size() > output_room ? OutputState::reader_gone : OutputState::open;
  }
  [[nodiscard]] std::optional<std::string> environment(const std::string& name) const override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional{found->second};
  }
  [[nodiscard]] bool is_terminal(cli::Stream) const override { return has_terminal; }
  [[nodiscard]] std::optional<std::size_t> terminal_width() const override {
    return has_terminal && terminal_columns > 0 ? std::optional{terminal_columns} : std::nullopt;
  }
  [[nodiscard]] Instant clock() const override { return time; }

 private:
  std::size_t input_taken_ = 0;
};

}  // namespace carillon
