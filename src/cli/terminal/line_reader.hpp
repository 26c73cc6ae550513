#pragma once

#include "base/error.hpp"
#include "cli/terminal/console.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// One line of input, without its line end.
struct Line {
  std::string_view text;     // good until the next call
  bool is_too_long = false;  // then the text is empty and the rest of the line is passed over
};

/// Standard input by lines, in large blocks. A line may have up to `length_max` bytes.
class LineReader {
 public:
  LineReader(Console& console, std::size_t length_max);

  /// The next line, or nothing at the end of input. `before_reading` is called whenever more input is waited for.
  template <typename BeforeReading>
  [[nodiscard]] Result<std::optional<Line>> next(BeforeReading before_reading) {
    for (;;) {
      if (auto line = buffered_line()) return line;
      if (is_at_end_) return last_line();
      before_reading();
      TRY(read_more());
    }
  }

 private:
  [[nodiscard]] std::optional<Line> buffered_line();
  [[nodiscard]] std::optional<Line> last_line();
  [[nodiscard]] Result<void> read_more();

  Console& console_;
  std::size_t length_max_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of what is not handed out yet
  std::size_t scanned_ = 0;  // up to here there is no line end
  std::size_t end_ = 0;
  bool is_passing_over_ = false;
  bool is_at_end_ = false;
};

}  // namespace carillon::cli
