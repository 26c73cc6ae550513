#include "runtime/clock_watch.hpp"

#include <algorithm>

namespace carillon {

ClockWatch::Verdict ClockWatch::look(const Sight& sight) {
  const Duration step =
      last_ ? (sight.store_now - last_->store_now) - (sight.since_boot - last_->since_boot) : Duration{0};
  const bool is_step = step >= clock_step_min || step <= -clock_step_min;
  // Small differences stay in the reference, so that a slow drift backward is seen as soon as it adds up.
  if (!last_ || is_step) last_ = sight;
  newest_seen_ = std::max(newest_seen_, sight.store_now);
  if (is_step) last_step_ = step;

  if (is_step && step < Duration{0}) {
    held_until_.reset();
    return Verdict::went_back;
  }
  if (step > clock_step_held) held_until_ = sight.since_boot + clock_hold;
  if (held_until_ && sight.since_boot < *held_until_ && !sight.is_synchronised) return Verdict::held;
  held_until_.reset();
  return is_step ? Verdict::stepped : Verdict::steady;
}

}  // namespace carillon
