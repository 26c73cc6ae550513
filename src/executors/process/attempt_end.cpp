#include "executors/process/attempt_end.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>
#include <string>
#include <utility>

namespace carillon {
namespace {

/// When this machine may have again what a launch lacked.
constexpr Duration shortage_pause = std::chrono::milliseconds{500};

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string error_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return fmt::format("ended by {}", signal_name(WTERMSIG(wait_status)));
  return WEXITSTATUS(wait_status) == 0 ? "" : fmt::format("exited with {}", WEXITSTATUS(wait_status));
}

AttemptOutcome outcome_of(const LaunchEnded& ended) {
  switch (ended.cause) {
    case StopCause::none: return ended.wait_status == 0 ? AttemptOutcome::succeeded : AttemptOutcome::failed;
    case StopCause::request:
    case StopCause::shutdown:
    case StopCause::timeout: return AttemptOutcome::cancelled;
    // It may have done all of its work, or none.
    case StopCause::lease: return AttemptOutcome::lost;
  }
  std::unreachable();
}

AttemptOutcome outcome_of(LaunchRefused::Why why) {
  switch (why) {
    case LaunchRefused::Why::too_late:
    case LaunchRefused::Why::stale:
    case LaunchRefused::Why::out_of_resources: return AttemptOutcome::released;
    case LaunchRefused::Why::stopped: return AttemptOutcome::cancelled;
    // It has been tried, and trying again is for the retry policy to decide.
    case LaunchRefused::Why::cannot_start: return AttemptOutcome::failed;
  }
  std::unreachable();
}

}  // namespace

AttemptEnd to_attempt_end(const LaunchEnded& ended) {
  AttemptEnd end{.outcome = outcome_of(ended), .error = error_of(ended.wait_status), .use = ended.use};
  if (WIFEXITED(ended.wait_status)) end.exit_code = WEXITSTATUS(ended.wait_status);
  if (WIFSIGNALED(ended.wait_status)) end.signal = WTERMSIG(ended.wait_status);
  if (ended.cause == StopCause::lease) end.error = "ended by force: the server's lease was not renewed in time";
  return end;
}

AttemptEnd to_attempt_end(const LaunchRefused& refused) {
  AttemptEnd end{.outcome = outcome_of(refused.why), .error = refused.error};
  if (refused.why == LaunchRefused::Why::stale) end.retry_after = Duration{0};
  if (refused.why == LaunchRefused::Why::out_of_resources) end.retry_after = shortage_pause;
  return end;
}

}  // namespace carillon
