#pragma once

#include "ports/executor.hpp"

#include <string>

namespace carillon {

/// Fails every attempt at once, with a sentence that says why: for a kind of action that a server accepts and does not
/// perform.
class RefusingExecutor final : public Executor {
 public:
  RefusingExecutor(AttemptEvents& events, std::string reason) : events_{events}, reason_{std::move(reason)} {}

  void launch(Assignment assignment) override;
  void stop(const AttemptKey& /*key*/, Stop /*how*/) override {}
  void extend_until(Duration /*since_boot*/) override {}

 private:
  AttemptEvents& events_;
  std::string reason_;
};

}  // namespace carillon
