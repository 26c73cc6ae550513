#include "runtime/attempt_adoption.hpp"

#include "runtime/leased_session.hpp"

#include <algorithm>
#include <utility>

namespace carillon {

AttemptAdoption::AttemptAdoption(RunQueue& queue, RunningAttempts& attempts, AttemptSupervisor& supervisor, Log& log)
    : queue_{queue}, attempts_{attempts}, supervisor_{supervisor}, log_{log} {}

Result<std::vector<AttemptKey>> AttemptAdoption::take_over(SessionId session,
                                                           std::span<const DetachedAttempt> detached) {
  const Instant now = TRY(queue_.store_now());
  auto held = TRY(queue_.read_held(session));
  std::vector<AttemptKey> keys;
  auto table = attempts_.access();
  for (ClaimedRun& run : held) {
    const AttemptKey key{run.row.seq, run.row.run.attempt};
    const auto found = std::ranges::find(detached, key, &DetachedAttempt::key);
    if (found == detached.end()) continue;
    table->try_emplace(key, adopted_attempt(std::move(run), *found, now));
    keys.push_back(key);
  }
  if (!keys.empty()) session_ = session;
  return keys;
}

void AttemptAdoption::beat() {
  if (!session_) return;
  const auto launched = attempts_.take_unreported_launches(*session_);
  const auto pulse = queue_.heartbeat({.session = *session_, .launched = launched});
  if (!pulse) return;
  attempts_.note_told(launched);
  supervisor_.apply_stop_requests(pulse->stops);
}

void AttemptAdoption::leave_if_done() {
  if (!session_) return;
  const auto is_adopted = [this](const auto& entry) { return entry.second.claimed.row.session == *session_; };
  const bool is_done = std::ranges::none_of(*attempts_.access(), is_adopted);
  if (is_done) leave();
}

void AttemptAdoption::leave() {
  if (const auto session = std::exchange(session_, std::nullopt)) close_session(queue_, *session, log_);
}

}  // namespace carillon
