#pragma once

#include "executors/process/messages.hpp"
#include "ports/executor.hpp"

namespace carillon {

// What the launcher says, as the end of an attempt.
[[nodiscard]] AttemptEnd to_attempt_end(const LaunchEnded& ended);
[[nodiscard]] AttemptEnd to_attempt_end(const LaunchRefused& refused);

}  // namespace carillon
