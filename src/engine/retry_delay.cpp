#include "engine/retry_delay.hpp"

#include "base/assertion.hpp"
#include "base/mix.hpp"

#include <algorithm>

namespace carillon {
namespace {

/// In microseconds, as a double: growth may leave the range of integers. Multiplied step by step, which is the same on
/// every machine, and no further than `longest`.
double grown(double initial, double factor, std::int64_t times, double longest) {
  double delay = initial;
  for (; times > 0 && delay < longest; --times) delay *= factor;
  return delay;
}

double backed_off(const Policies::Retry& retry, std::int64_t failed_count, double longest) {
  const auto initial = static_cast<double>(retry.initial.count());
  switch (retry.backoff) {
    case Backoff::fixed: return initial;
    case Backoff::linear: return initial * static_cast<double>(failed_count);
    case Backoff::exponential: return grown(initial, retry.factor, failed_count - 1, longest);
  }
  return initial;
}

/// A number in [0, 1) from a seed whose bits may be anything but random.
double fraction_of(std::uint64_t seed) { return static_cast<double>(splitmix(seed) >> 11) * 0x1p-53; }

}  // namespace

Duration retry_delay(const Policies::Retry& retry, std::int64_t failed_count, std::uint64_t seed) {
  CARILLON_ASSERT(failed_count >= 1);
  const double longest = static_cast<double>(delay_max_of(retry).count());
  const double delay = std::min(backed_off(retry, failed_count, longest), longest);
  return Duration{static_cast<std::int64_t>(delay * (1 + retry.jitter * fraction_of(seed)))};
}

}  // namespace carillon
