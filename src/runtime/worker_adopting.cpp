#include "runtime/worker.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr Duration resume_pause = std::chrono::milliseconds{500};

}  // namespace

Worker::Child Worker::adopted_child(ClaimedRun run, const DetachedAttempt& detached, Instant now) {
  const Run& state = run.row.run;
  const bool is_launch_told = state.attempt_state != AttemptState::claimed;
  std::optional<Instant> launched_at = std::min(detached.launched_at, now);
  // The store knows better when it began, and says so of the first attempt.
  if (is_launch_told) launched_at = state.attempt == 1 ? state.started_at : std::nullopt;
  return {
      .claimed = std::move(run), .launched_at = launched_at, .is_launch_told = is_launch_told, .detached = detached};
}

Result<std::vector<AttemptKey>> Worker::take_over(SessionId session, std::span<const DetachedAttempt> detached) {
  const Instant now = TRY(queue_.store_now());
  auto held = TRY(queue_.read_held(session));
  std::vector<AttemptKey> keys;
  const std::scoped_lock lock{mutex_};
  for (ClaimedRun& run : held) {
    const AttemptKey key{run.row.seq, run.row.run.attempt};
    const auto found = std::ranges::find(detached, key, &DetachedAttempt::key);
    if (found == detached.end()) continue;
    children_.try_emplace(key, adopted_child(std::move(run), *found, now));
    keys.push_back(key);
  }
  if (!keys.empty()) {
    adopted_session_ = session;
    must_beat_ = true;
  }
  return keys;
}

void Worker::resume(const AttemptKey& key, const Result<DefinitionPtr>& definition) {
  Executor* executor = nullptr;
  Assignment assignment{.key = key, .action = {}, .envelope = {}};
  {
    const std::scoped_lock lock{mutex_};
    Child& child = children_.at(key);
    if (!definition && definition.error().code == ErrorCode::unavailable) {
      next_launch_ = clock_.since_boot() + resume_pause;
      return;
    }
    if (!definition) {
      // Nobody could say what its end means.
      stop_orders_.push_back({.executor = executors_.command, .key = key, .how = Stop::terminate});
      return end_unlaunched(child, definition.error().message);
    }
    child.definition = *definition;
    executor = executor_of(child);
    if (executor == nullptr) return end_unlaunched(child, "nobody here performs such an action");
    assignment.action = (*definition)->action;
    go_on_with(child, clock_.since_boot());
  }
  log_.info("attempt taken over", {{"run", static_cast<std::int64_t>(key.run)}, {"attempt", key.attempt}});
  executor->resume(std::move(assignment));
}

void Worker::go_on_with(Child& child, Duration now) {
  const DetachedAttempt detached = *std::exchange(child.detached, std::nullopt);
  child.state = Child::State::launching;
  // Who wanted it to end while there was nobody to tell it.
  const Cause stop_cause = child.stop != Stop::none ? child.cause : Cause::user;
  const Stop stop_asked = std::max(std::exchange(child.stop, Stop::none), child.claimed.row.run.stop);
  child.cause = Cause::none;
  switch (detached.stopped) {
    case DetachedAttempt::Stopped::no: child.timeout_at = detached.timeout_at; break;
    case DetachedAttempt::Stopped::timed_out: child.cause = Cause::timeout; break;
    // By its user, or by a server that was being stopped when it died.
    case DetachedAttempt::Stopped::asked: child.cause = stop_asked == Stop::none ? Cause::shutdown : stop_cause; break;
  }
  if (detached.stopped != DetachedAttempt::Stopped::no) {
    child.stop = Stop::cancel;
    child.kill_at = now + child.definition->policies.grace;
  }
  stop(child, stop_asked, stop_cause, now);
}

void Worker::beat_adopted() {
  SessionId session{};
  std::vector<LaunchNotice> launched;
  {
    const std::scoped_lock lock{mutex_};
    if (!adopted_session_) return;
    session = *adopted_session_;
    launched = unreported_launches(session);
  }
  const Duration sent = clock_.since_boot();
  const auto pulse = queue_.heartbeat({.session = session, .launched = launched});
  // The lease is longer than any failure: the next beat will do.
  if (!pulse) return;
  const std::scoped_lock lock{mutex_};
  note_told(launched);
  apply_stop_requests(pulse->stops, sent);
}

void Worker::leave_adopted() {
  SessionId session{};
  {
    const std::scoped_lock lock{mutex_};
    const auto is_adopted = [this](const auto& entry) { return entry.second.claimed.row.session == adopted_session_; };
    if (!adopted_session_ || std::ranges::any_of(children_, is_adopted)) return;
    session = *std::exchange(adopted_session_, std::nullopt);
  }
  close(session);
}

}  // namespace carillon
