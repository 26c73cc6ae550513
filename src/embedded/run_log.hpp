#pragma once

#include "ports/log.hpp"
#include "runtime/run_events.hpp"

namespace carillon {

/// Tells the log of every attempt.
class RunLog final : public RunObserver {
 public:
  explicit RunLog(Log& log) : log_{log} {}
  void attempt_began(const AttemptNews& news) override;
  void attempt_ended(const AttemptNews& news) override;

 private:
  Log& log_;
};

}  // namespace carillon
