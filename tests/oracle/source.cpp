#include "oracle/source.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

namespace carillon::oracle {
namespace {

Second floor_divide(Second dividend, Second divisor) { return dividend / divisor - (dividend % divisor < 0 ? 1 : 0); }

Second day_of(Second wall) { return floor_divide(wall, day_length); }

Second second_of_day(Second wall) { return wall - day_of(wall) * day_length; }

/// Counts the steps of one scan.
class Patience {
 public:
  void step() {
    if (--left_ == 0) throw SearchTooLong{};
  }

 private:
  int left_ = 3'000'000;
};

/// Remembers whether the last day asked for matches, because a scan asks the same day thousands of times.
class DayMemory {
 public:
  explicit DayMemory(const Pattern& pattern) : pattern_{pattern} {}

  bool matches(Second day) {
    if (day != day_) {
      day_ = day;
      matches_ = pattern_.matches_date(date_of(day));
    }
    return matches_;
  }

 private:
  const Pattern& pattern_;
  Second day_ = std::numeric_limits<Second>::min();
  bool matches_ = false;
};

class FixedSource : public Source {
 public:
  FixedSource(Pattern pattern, Surroundings surroundings)
      : pattern_{std::move(pattern)}, surroundings_{std::move(surroundings)}, times_{pattern_.times_of_day()} {}

  // A later wall time never happens earlier, so that ascending wall times are ascending instants. Wall times before the
  // one shown at `from` have happened by then, except those of a gap that ends there.
  void ascend(Second from, Second to, const Visitor& visit) const override {
    const Second begin = surroundings_.clock->wall_at(from) - 4 * 3600;
    Patience patience;
    for (Second day = day_of(begin); (day - 2) * day_length <= to; ++day) {
      patience.step();
      if (!pattern_.matches_date(date_of(day))) continue;
      for (const Second time : times_) {
        patience.step();
        const Second wall = day * day_length + time;
        if (wall < begin) continue;
        const std::optional<Second> instant = instant_of(wall);
        if (!instant || *instant < from) continue;
        if (*instant > to || !visit(*instant)) return;
      }
    }
  }

  // Clocks that were set back may have shown up to a day more than they show now.
  void descend(Second from, Second to, const Visitor& visit) const override {
    const Second begin = surroundings_.clock->wall_at(to) + day_length + 3600;
    Patience patience;
    for (Second day = day_of(begin); (day + 2) * day_length >= from; --day) {
      patience.step();
      if (!pattern_.matches_date(date_of(day))) continue;
      for (const Second time : times_ | std::views::reverse) {
        patience.step();
        const Second wall = day * day_length + time;
        if (wall > begin) continue;
        const std::optional<Second> instant = instant_of(wall);
        if (!instant || *instant > to) continue;
        if (*instant < from || !visit(*instant)) return;
      }
    }
  }

 private:
  std::optional<Second> instant_of(Second wall) const {
    if (surroundings_.is_excluded(wall)) return std::nullopt;
    return surroundings_.clock->instant_of_fixed(wall);
  }

  Pattern pattern_;
  Surroundings surroundings_;
  std::vector<Second> times_;
};

class ClockSource : public Source {
 public:
  ClockSource(Pattern pattern, Surroundings surroundings)
      : pattern_{std::move(pattern)}, surroundings_{std::move(surroundings)}, step_{pattern_.step()} {}

  void ascend(Second from, Second to, const Visitor& visit) const override {
    Patience patience;
    DayMemory days{pattern_};
    Clock::Stretch stretch = surroundings_.clock->stretch_at(from);
    for (Second instant = from; instant <= to;) {
      patience.step();
      if (instant >= stretch.end) stretch = surroundings_.clock->stretch_at(instant);
      const Second wall = instant + stretch.offset;
      const bool is_day = days.matches(day_of(wall));
      if (is_day && is_occurrence(wall) && !visit(instant)) return;
      // To the next wall minute or day, but never over a clock change.
      const Second unit = is_day ? step_ : day_length;
      instant = std::min(instant + unit - second_of_day(wall) % unit, stretch.end);
    }
  }

  void descend(Second from, Second to, const Visitor& visit) const override {
    Patience patience;
    DayMemory days{pattern_};
    Clock::Stretch stretch = surroundings_.clock->stretch_at(to);
    for (Second instant = to; instant >= from;) {
      patience.step();
      if (instant < stretch.begin) stretch = surroundings_.clock->stretch_at(instant);
      const Second wall = instant + stretch.offset;
      const bool is_day = days.matches(day_of(wall));
      if (is_day && is_occurrence(wall) && !visit(instant)) return;
      // To the last second of the day before, or the beginning of this minute or the one before.
      const Second into_minute = second_of_day(wall) % step_;
      const Second back = !is_day ? second_of_day(wall) + 1 : into_minute == 0 ? step_ : into_minute;
      instant = std::max(instant - back, stretch.begin - 1);
    }
  }

 private:
  bool is_occurrence(Second wall) const {
    return pattern_.matches_time(second_of_day(wall)) && !surroundings_.is_excluded(wall);
  }

  Pattern pattern_;
  Surroundings surroundings_;
  Second step_;
};

class IntervalSource : public Source {
 public:
  IntervalSource(Second every, Second phase, Surroundings surroundings)
      : every_{every}, phase_{phase}, surroundings_{std::move(surroundings)} {}

  void ascend(Second from, Second to, const Visitor& visit) const override {
    Patience patience;
    const Second count = floor_divide(from - phase_ + every_ - 1, every_);
    for (Second instant = phase_ + count * every_; instant <= to; instant += every_) {
      patience.step();
      if (is_occurrence(instant) && !visit(instant)) return;
    }
  }

  void descend(Second from, Second to, const Visitor& visit) const override {
    Patience patience;
    const Second count = floor_divide(to - phase_, every_);
    for (Second instant = phase_ + count * every_; instant >= from; instant -= every_) {
      patience.step();
      if (is_occurrence(instant) && !visit(instant)) return;
    }
  }

 private:
  bool is_occurrence(Second instant) const { return !surroundings_.is_excluded(surroundings_.clock->wall_at(instant)); }

  Second every_;
  Second phase_;
  Surroundings surroundings_;
};

class TimeSource : public Source {
 public:
  TimeSource(Second time, Surroundings surroundings)
      : time_{time}, is_excluded_{surroundings.is_excluded(surroundings.clock->wall_at(time))} {}

  void ascend(Second from, Second to, const Visitor& visit) const override {
    if (!is_excluded_ && time_ >= from && time_ <= to) visit(time_);
  }
  void descend(Second from, Second to, const Visitor& visit) const override { ascend(from, to, visit); }

 private:
  Second time_;
  bool is_excluded_;
};

}  // namespace

bool Surroundings::is_excluded(Second wall) const {
  return std::any_of(excluded->begin(), excluded->end(), [&](const Pattern& p) { return p.matches(wall); });
}

std::optional<Second> Source::first_within(Second from, Second to) const {
  std::optional<Second> first;
  ascend(from, to, [&](Second second) { return first = second, false; });
  return first;
}

std::optional<Second> Source::last_within(Second from, Second to) const {
  std::optional<Second> last;
  descend(from, to, [&](Second second) { return last = second, false; });
  return last;
}

std::vector<Second> Source::all_within(Second from, Second to) const {
  std::vector<Second> found;
  ascend(from, to, [&](Second second) { return found.push_back(second), true; });
  return found;
}

std::unique_ptr<Source> fixed_source(Pattern pattern, Surroundings surroundings) {
  return std::make_unique<FixedSource>(std::move(pattern), std::move(surroundings));
}

std::unique_ptr<Source> clock_source(Pattern pattern, Surroundings surroundings) {
  return std::make_unique<ClockSource>(std::move(pattern), std::move(surroundings));
}

std::unique_ptr<Source> interval_source(Second every, Second phase, Surroundings surroundings) {
  return std::make_unique<IntervalSource>(every, phase, std::move(surroundings));
}

std::unique_ptr<Source> time_source(Second time, Surroundings surroundings) {
  return std::make_unique<TimeSource>(time, std::move(surroundings));
}

}  // namespace carillon::oracle
