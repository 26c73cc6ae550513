#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace carillon::http {

/// Reads the head of a request (its first line and headers) byte by byte, as it comes in: finds its end, and what has
/// no place in it and makes it ambiguous. So hostile bytes are refused at once, not when the client gets tired.
class HeadScan {
 public:
  /// Reads on. The number of bytes up to and including the empty line; none while it has not come, or after a fault.
  [[nodiscard]] std::optional<std::size_t> find_end(std::string_view bytes);

  /// What is wrong, in words for the client; empty if nothing is.
  [[nodiscard]] std::string_view fault() const { return fault_; }
  /// So far.
  [[nodiscard]] std::size_t first_line_size() const { return first_line_size_; }

 private:
  enum class At { line_start, in_line, carriage_return, last_carriage_return };

  [[nodiscard]] At step(char byte);
  [[nodiscard]] At begin_line(char byte);
  At refuse(std::string_view fault);

  At at_ = At::line_start;
  bool is_first_line_ = true;
  std::size_t first_line_size_ = 0;
  std::string_view fault_;
};

}  // namespace carillon::http
