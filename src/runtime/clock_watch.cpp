#include "runtime/clock_watch.hpp"

#include "base/duration_text.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

bool is_step(Duration step) { return step >= clock_step_min || step <= -clock_step_min; }
bool is_large(Duration step) { return step > clock_step_held || step < -clock_step_held; }

}  // namespace

Duration ClockWatch::step_to(const Sight& sight) const {
  return (sight.store_now - believed_->store_now) - (sight.since_boot - believed_->since_boot);
}

bool ClockWatch::must_hold(const Sight& sight, Duration step) {
  const bool is_impossible = sight.store_now < earliest_;
  if (!is_impossible && (!is_large(step) || sight.is_synchronised)) return false;
  // One that jumps again while it is held is held anew.
  if (!held_until_ || is_step(step - held_step_)) held_until_ = sight.since_boot + clock_hold;
  held_step_ = step;
  return is_impossible || sight.since_boot < *held_until_;
}

ClockWatch::Verdict ClockWatch::look(const Sight& sight, Instant newest_known) {
  const std::scoped_lock lock{mutex_};
  const Verdict verdict = judge(sight, newest_known);
  if (verdict != Verdict::held) has_been_believed_ = true;
  return verdict;
}

ClockWatch::Verdict ClockWatch::judge(const Sight& sight, Instant newest_known) {
  newest_seen_ = std::max(newest_seen_, sight.store_now);
  if (!believed_) {
    // Nobody knows how much time has passed: only a clock that is far behind can be said to be wrong.
    const bool is_behind = newest_known - sight.store_now > clock_step_held;
    if (!is_behind && sight.store_now < earliest_) return Verdict::held;
    believed_ = sight;
    if (!is_behind) return Verdict::steady;
    believed_->store_now = newest_known;
  }
  const Duration step = step_to(sight);
  if (is_step(step)) last_step_ = step;
  if (must_hold(sight, step)) return Verdict::held;

  const bool was_held = std::exchange(held_until_, std::nullopt).has_value();
  // One that came right again by itself has been ahead, and others may have written by it.
  if (!is_step(step)) return was_held ? Verdict::went_back : Verdict::steady;
  // Small differences stay in the reference, so that a slow drift backward is seen as soon as it adds up.
  believed_ = sight;
  return step < Duration{0} ? Verdict::went_back : Verdict::stepped;
}

Result<> ClockWatch::check(const Sight& sight) const {
  const std::scoped_lock lock{mutex_};
  if (sight.store_now < earliest_)
    return fail(ErrorCode::unavailable, "the clock shows {}, which is impossible: set the clock",
                to_text(sight.store_now));
  if (!believed_ || sight.is_synchronised) return {};
  const Duration step = step_to(sight);
  if (!is_large(step)) return {};
  return fail(ErrorCode::unavailable,
              "the clock was set {} by {}; no changes until it is synchronised or {} have passed",
              step < Duration{0} ? "back" : "forward", to_text(step < Duration{0} ? -step : step), to_text(clock_hold));
}

}  // namespace carillon
