#pragma once

#include "base/instant.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace carillon::cli {

/// A whole screen that is drawn on, and what happens at it. A port: a terminal, or that of a test.
class Screen {
 public:
  struct Size {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };

  struct Happening {
    std::string keys{};     // as typed; several, or none
    bool has_news = false;  // something has changed on the server
    bool is_over = false;   // the screen is gone, or the program has been told to end
  };

  virtual ~Screen() = default;

  [[nodiscard]] virtual Size size() const = 0;
  /// Lines from the top; what was there before is gone. None is wider than the screen.
  virtual void show(const std::vector<std::string>& lines) = 0;
  /// Returns when something happens, also when the size changes, or after so long at the latest.
  [[nodiscard]] virtual Happening wait(Duration longest) = 0;
};

}  // namespace carillon::cli
