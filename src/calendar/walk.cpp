#include "calendar/walk.hpp"

#include <algorithm>

namespace carillon {
namespace {

constexpr UtcSecond earliest_second = floor_second(instant_min);
constexpr UtcSecond latest_second = floor_second(instant_max);

UtcSecond bounded_second(Instant instant) {
  return std::clamp(floor_second(instant), earliest_second - 1, latest_second);
}

}  // namespace

Walk::Walk(const Sources& sources, Instant after, Instant until, Budget& budget)
    : sources_{&sources},
      budget_{&budget},
      until_{bounded_second(until)},
      last_{after},
      walls_(sources.walls.size(), Known{.clear_until = earliest_second - 1}),
      intervals_(sources.intervals.size(), Known{.clear_until = earliest_second - 1}),
      next_time_{static_cast<std::size_t>(std::ranges::upper_bound(sources.times, after) - sources.times.begin())} {}

// A source is searched from where its last search ended, and no further than the best that others have found.
template <typename Source>
void Walk::look(const Source& source, Known& known, UtcSecond last, UtcSecond& best) {
  if (known.found == WallSource::none || known.found <= last) {
    const UtcSecond from = std::max(last, known.clear_until);
    const UtcSecond to = std::min(until_, best - 1);
    if (from >= to) return;
    known.found = source.next(sources_->exclusions, *sources_->zone, from, to, *budget_);
    known.clear_until = known.found == WallSource::none ? to : known.found - 1;
  }
  best = std::min(best, known.found);
}

std::optional<Instant> Walk::next() {
  if (!budget_->take(sources_->steps_per_question())) return std::nullopt;
  const UtcSecond last = bounded_second(last_);
  UtcSecond best = WallSource::none;
  for (const auto* known : {&walls_, &intervals_})
    for (const Known& one : *known)
      if (one.found > last) best = std::min(best, one.found);
  for (std::size_t i = 0; i < walls_.size(); ++i) look(sources_->walls[i], walls_[i], last, best);
  for (std::size_t i = 0; i < intervals_.size(); ++i) look(sources_->intervals[i], intervals_[i], last, best);
  if (budget_->is_spent()) return std::nullopt;
  std::optional<Instant> found;
  if (best <= latest_second) found = to_instant(best);
  const auto& times = sources_->times;
  while (next_time_ < times.size() && times[next_time_] <= last_) ++next_time_;
  if (next_time_ < times.size() && (!found || times[next_time_] < *found)) found = times[next_time_];
  if (found) last_ = *found;
  return found;
}

}  // namespace carillon
