#include "stores/postgres/clock_watch.hpp"

#include "base/clock_step.hpp"

#include <algorithm>

namespace carillon::postgres {
namespace {

// The offset lies between these two: the database looked at its clock at some moment between our two looks.
Duration offset_min(const ClockReading& reading) { return clock_offset(reading.now, reading.after); }
Duration offset_max(const ClockReading& reading) { return clock_offset(reading.now, reading.before); }

}  // namespace

Duration ClockWatch::step_seen(const ClockReading& reading) {
  const std::scoped_lock lock{mutex_};
  if (!baseline_) {
    baseline_ = {.offset = offset_max(reading), .moved = reading.moved};
    return Duration{0};
  }
  // Steps that another server has noticed first are steps of the same clock.
  const Duration expected = baseline_->offset + (reading.moved - baseline_->moved);
  const Duration nearest = std::clamp(expected, offset_min(reading), offset_max(reading));
  const Duration step = clock_step(expected, nearest);
  // Two clocks never go at exactly the same pace: small differences must not add up to a step.
  if (step == Duration{0}) baseline_ = {.offset = nearest, .moved = reading.moved};
  return step;
}

void ClockWatch::accept(const ClockReading& reading) {
  const std::scoped_lock lock{mutex_};
  baseline_ = {.offset = offset_max(reading), .moved = reading.moved};
}

}  // namespace carillon::postgres
