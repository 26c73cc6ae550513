#pragma once

#include "engine/attempt_end.hpp"
#include "ports/executor.hpp"

#include <optional>

namespace carillon {

/// One attempt of a run, as a host program or a log hears of it.
struct AttemptNews {
  Envelope envelope;
  std::optional<AttemptEnd> end{};  // none: it begins
  bool will_retry = false;
};

/// From launch to end; zero if it was not launched, or has not ended.
[[nodiscard]] inline Duration duration_of(const AttemptNews& news) {
  if (!news.end || !news.end->launched_at || !news.end->ended_at) return Duration{0};
  return *news.end->ended_at - *news.end->launched_at;
}

/// Hears of attempts when they begin and end. Called by the worker's thread: must not block for long.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void attempt_began(const AttemptNews& news) = 0;
  virtual void attempt_ended(const AttemptNews& news) = 0;
};

}  // namespace carillon
