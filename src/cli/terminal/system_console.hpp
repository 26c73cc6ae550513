#pragma once

#include "cli/terminal/console.hpp"

namespace carillon::cli {

/// The streams, environment and clock of this process. The process should ignore SIGPIPE, so that a reader who goes
/// away shows as OutputState::reader_gone.
class SystemConsole final : public Console {
 public:
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override;
  void write(std::string_view text) override;
  void write_error(std::string_view text) override;
  [[nodiscard]] OutputState output_state() const override { return output_state_; }
  [[nodiscard]] std::optional<std::string> environment(const std::string& name) const override;
  [[nodiscard]] bool is_terminal(Stream stream) const override;
  [[nodiscard]] std::optional<std::size_t> terminal_width() const override;
  [[nodiscard]] Instant clock() const override;

 private:
  OutputState output_state_ = OutputState::open;
};

}  // namespace carillon::cli
