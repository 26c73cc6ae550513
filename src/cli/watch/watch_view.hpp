#pragma once

#include "cli/terminal/paint.hpp"
#include "cli/watch/screen.hpp"
#include "cli/watch/watch_data.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// Where people are in the view.
struct WatchView {
  std::string title;         // of the server: `carillon 1.0 · 127.0.0.1:7070`
  std::size_t selected = 0;  // among the rows that pass the filter
  std::string filter{};
  std::string bottom{};  // a question, a message, or the keys
  bool has_help = false;
  bool shows_failures = false;  // in place of everything else
};

/// Those whose name has the filter in it, upper and lower case being the same, and those that the server found by it.
[[nodiscard]] std::vector<WatchRow> filtered(std::vector<WatchRow> rows, std::string_view filter);

/// The whole screen. The selected row is always on it.
[[nodiscard]] std::vector<std::string> watch_frame(const WatchData& data, const std::vector<WatchRow>& rows,
                                                   const WatchView& view, Screen::Size size, Instant now,
                                                   const Paint& paint);

/// The same for somebody who reads it once: nothing is cut off.
[[nodiscard]] std::string watch_snapshot(const WatchData& data, const std::vector<WatchRow>& rows,
                                         std::string_view title, Instant now, const Paint& paint);

/// The first columns of a text without colours.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t columns);

}  // namespace carillon::cli
