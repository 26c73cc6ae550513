#pragma once

#include "base/instant.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/paint.hpp"
#include "executors/pipeline/pipeline_runner.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::cli {

/// `███████░░░  37/200 items · 2 failed · about 1m left · 12345 tokens · cost 0.0123`; without a bar where it would not
/// be seen as one. `left` is about how long it will take.
[[nodiscard]] std::string progress_text(const pipeline::RunProgress& progress, std::optional<Duration> left,
                                        const Paint& paint, bool has_bar);

/// Shows how far a run is, on standard error: a bar on a terminal, else a line every ten seconds. From any thread.
class RunProgressDisplay {
 public:
  explicit RunProgressDisplay(Console& console)
      : console_{console},
        paint_{Paint::of(console, Stream::error, ColourChoice::automatic)},
        has_bar_{console.is_terminal(Stream::error)} {}

  /// `now` by a clock that goes only forward.
  void show(const pipeline::RunProgress& progress, Duration now);
  /// Says something else, below the bar.
  void say(std::string_view text);
  /// Nothing more is to come.
  void end();

 private:
  struct Mark {
    Duration at{};
    std::size_t items = 0;
  };
  [[nodiscard]] std::optional<Duration> time_left(const pipeline::RunProgress& progress, Duration now) const;
  void leave_bar();

  Console& console_;
  const Paint paint_;
  const bool has_bar_;
  std::mutex mutex_;
  // Guarded.
  std::optional<Mark> first_;  // answers of an earlier run come at once: the pace is that behind them
  std::optional<Duration> line_at_;
  std::string shown_;
};

}  // namespace carillon::cli
