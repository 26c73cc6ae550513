#pragma once

#include "ports/log.hpp"
#include "runtime/run_events.hpp"

namespace carillon {

/// Tells the log of every attempt, and one more who wants to know.
class RunLog final : public RunObserver {
 public:
  explicit RunLog(Log& log, RunObserver* next = nullptr) : log_{log}, next_{next} {}
  void attempt_began(const AttemptNews& news) override;
  void attempt_ended(const AttemptNews& news) override;

 private:
  Log& log_;
  RunObserver* next_;
};

}  // namespace carillon
