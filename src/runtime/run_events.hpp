#pragma once

#include "engine/run.hpp"
#include "ports/executor.hpp"

#include <optional>
#include <string>

namespace carillon {

/// One attempt of a run, as a host program or a log hears of it.
struct AttemptNews {
  Envelope envelope;
  std::optional<AttemptOutcome> outcome{};  // none: it begins
  std::string error{};
  std::optional<std::string> result{};
  Duration duration{};
  bool will_retry = false;
};

/// Hears of attempts when they begin and end. Called by the worker's thread: must not block for long.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void attempt_began(const AttemptNews& news) = 0;
  virtual void attempt_ended(const AttemptNews& news) = 0;
};

}  // namespace carillon
