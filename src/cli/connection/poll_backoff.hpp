#pragma once

#include "base/instant.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace carillon::cli {

/// How long to wait between two looks at a server, and when to give up. Looks are close together at first.
class PollBackoff {
 public:
  using Sleep = std::function<void(Duration)>;

  /// Without a timeout it never ends by itself.
  explicit PollBackoff(std::optional<Duration> timeout = {}, Sleep sleep = {});

  /// Waits before the next look. False, at once, when the time is over.
  [[nodiscard]] bool pause();

  /// The next pause is short again: something happened.
  void reset();

  /// Counts a server that cannot be reached. False when it has been so for about a minute without a success.
  [[nodiscard]] bool may_retry();
  void note_success() { failure_count_ = 0; }

 private:
  std::optional<std::chrono::steady_clock::time_point> end_;
  Sleep sleep_;
  Duration next_;
  int failure_count_ = 0;
};

}  // namespace carillon::cli
