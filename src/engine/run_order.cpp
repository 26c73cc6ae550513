#include "engine/run_order.hpp"

#include <utility>

namespace carillon {
namespace {

bool is_unclaimed(const Run& run) { return run.state == RunState::queued && run.attempt == 0; }

std::optional<Run> stopped(const Run& run, Stop how, Instant now) {
  const auto after = cancel(run, how, now);
  return after ? std::optional{*after} : std::nullopt;
}

RunState end_of(AttemptState last) {
  switch (last) {
    case AttemptState::timed_out: return RunState::timed_out;
    case AttemptState::lost: return RunState::lost;
    default: return RunState::failed;
  }
}

Run without_retries(Run run, Instant now) {
  run.may_retry = false;
  if (run.state == RunState::retrying) {
    run.state = end_of(run.attempt_state.value_or(AttemptState::failed));
    run.ended_at = now;
  }
  return run;
}

}  // namespace

std::optional<Run> obey(const RunOrder& order, Run run, Instant now) {
  if (is_terminal(run.state)) return std::nullopt;
  switch (order.kind) {
    case RunOrder::Kind::cancel: return stopped(run, Stop::cancel, now);
    case RunOrder::Kind::terminate: return stopped(run, Stop::terminate, now);
    case RunOrder::Kind::withdraw:
      if (!is_unclaimed(run)) return std::nullopt;
      run.state = RunState::cancelled;
      run.ended_at = now;
      return run;
    case RunOrder::Kind::hold_back:
      if (!is_unclaimed(run)) return std::nullopt;
      run.state = RunState::waiting;
      run.expires_at.reset();
      return run;
    case RunOrder::Kind::end_retries: return without_retries(run, now);
  }
  std::unreachable();
}

}  // namespace carillon
