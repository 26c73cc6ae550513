#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace carillon::cli {

enum class Stream { output, error };

/// The world around one command line: its streams, its environment, its clock.
class Console {
 public:
  enum class OutputState { open, reader_gone, failed };

  virtual ~Console() = default;

  /// What standard input has now, at most the size of the buffer; waits if there is nothing yet; 0 at its end.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<char> buffer) = 0;

  /// Writes to standard output, without delay. After a failure nothing is written any more; output_state tells.
  virtual void write(std::string_view text) = 0;
  virtual void write_error(std::string_view text) = 0;
  [[nodiscard]] virtual OutputState output_state() const = 0;

  /// An environment variable, or nothing when it is not set.
  [[nodiscard]] virtual std::optional<std::string> environment(const std::string& name) const = 0;
  [[nodiscard]] virtual bool is_terminal(Stream stream) const = 0;
  /// How many columns the terminal behind standard output has; nothing when it is none, or does not say.
  [[nodiscard]] virtual std::optional<std::size_t> terminal_width() const = 0;
  [[nodiscard]] virtual Instant clock() const = 0;
};

}  // namespace carillon::cli
