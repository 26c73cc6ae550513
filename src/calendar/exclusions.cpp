#include "calendar/exclusions.hpp"

#include "base/civil.hpp"

#include <algorithm>
#include <bit>

namespace carillon {
namespace {

constexpr int no_time = -1;

int second_of_day(int hour, int minute, int second) { return hour * 3600 + minute * 60 + second; }

/// The first time of the rule's day at or after `from` that is left when `partial` is excluded.
int first_left(const Exclusions& exclusions, const WallRule& rule, std::uint64_t partial, int from, Budget& budget) {
  const std::uint64_t steps_per_minute = 1 + static_cast<std::uint64_t>(std::popcount(partial));
  for (int hour = from / 3600; hour < 24; ++hour) {
    if (!(rule.hours >> hour & 1)) continue;
    for (int minute = hour == from / 3600 ? from / 60 % 60 : 0; minute < 60; ++minute) {
      if (!(rule.minutes >> minute & 1)) continue;
      if (!budget.take(steps_per_minute)) return no_time;
      std::uint64_t left = rule.seconds & ~exclusions.seconds_of(partial, hour, minute);
      if (second_of_day(hour, minute, 59) - from < 60) left = left >> (from % 60) << (from % 60);
      if (left != 0) return second_of_day(hour, minute, std::countr_zero(left));
    }
  }
  return no_time;
}

int last_left(const Exclusions& exclusions, const WallRule& rule, std::uint64_t partial, int from, Budget& budget) {
  const std::uint64_t steps_per_minute = 1 + static_cast<std::uint64_t>(std::popcount(partial));
  for (int hour = from / 3600; hour >= 0; --hour) {
    if (!(rule.hours >> hour & 1)) continue;
    for (int minute = hour == from / 3600 ? from / 60 % 60 : 59; minute >= 0; --minute) {
      if (!(rule.minutes >> minute & 1)) continue;
      if (!budget.take(steps_per_minute)) return no_time;
      std::uint64_t left = rule.seconds & ~exclusions.seconds_of(partial, hour, minute);
      if (from - second_of_day(hour, minute, 0) < 60) left = left << (63 - from % 60) >> (63 - from % 60);
      if (left != 0) return second_of_day(hour, minute, 63 - std::countl_zero(left));
    }
  }
  return no_time;
}

/// Keys of days on which nothing of a rule is left. Few differ, since they come from a handful of weekdays and months.
class SpentDays {
 public:
  [[nodiscard]] bool contains(std::uint64_t key) const { return std::ranges::find(keys_, key) != keys_.end(); }
  [[nodiscard]] std::uint64_t steps() const { return keys_.size() / 16; }
  void add(std::uint64_t key) {
    if (keys_.size() < 1024) keys_.push_back(key);
  }

 private:
  std::vector<std::uint64_t> keys_;
};

}  // namespace

bool Exclusions::add(const WallRule& rule) {
  is_same_every_day_ = is_same_every_day_ && rule.is_every_date();
  if (rule.is_whole_day()) {
    if (rule.is_every_date()) is_everything_ = true;
    whole_days_.push_back(rule);
    return true;
  }
  if (partial_.size() == partial_max) return false;
  if (rule.is_every_date()) every_day_ |= std::uint64_t{1} << partial_.size();
  partial_.push_back(rule);
  return true;
}

Exclusions::Day Exclusions::on(std::int32_t day_count) const {
  const auto matches = [day_count](const WallRule& rule) { return rule.matches_day(day_count); };
  if (std::ranges::any_of(whole_days_, matches)) return {.is_whole = true};
  Day day;
  for (std::size_t i = 0; i < partial_.size(); ++i) {
    if (matches(partial_[i])) day.partial |= std::uint64_t{1} << i;
  }
  return day;
}

std::uint64_t Exclusions::seconds_of(std::uint64_t partial, int hour, int minute) const {
  std::uint64_t seconds = 0;
  for (; partial != 0; partial &= partial - 1) {
    const WallRule& rule = partial_[static_cast<std::size_t>(std::countr_zero(partial))];
    if ((rule.hours >> hour & 1) && (rule.minutes >> minute & 1)) seconds |= rule.seconds;
  }
  return seconds;
}

bool Exclusions::excludes_time(std::uint64_t partial, int second_of_day) const {
  return seconds_of(partial, second_of_day / 3600, second_of_day / 60 % 60) >> (second_of_day % 60) & 1;
}

bool Exclusions::excludes(WallSecond wall) const {
  if (is_empty()) return false;
  const std::int64_t day_count = floor_divide(wall, seconds_per_day);
  const Day day = on(static_cast<std::int32_t>(day_count));
  return day.is_whole ||
         (day.partial != 0 && excludes_time(day.partial, static_cast<int>(wall - day_count * seconds_per_day)));
}

bool Exclusions::may_leave(const WallRule& rule) const {
  if (is_everything_) return false;
  Budget budget = Budget::unlimited();  // at most one day is looked at
  return every_day_ == 0 || first_left(*this, rule, every_day_, 0, budget) != no_time;
}

WallSecond Exclusions::first_kept(const WallRule& rule, WallSecond from, WallSecond until, Budget& budget) const {
  WallSecond wall = rule.first_at_or_after(from);
  if (is_empty()) return wall;
  if (is_everything()) return WallRule::none;
  SpentDays spent;
  for (bool is_first_day = true; wall < until; is_first_day = false) {
    if (!budget.take(steps_per_day() + spent.steps())) return WallRule::none;
    const std::int64_t day_count = floor_divide(wall, seconds_per_day);
    const Day day = on(static_cast<std::int32_t>(day_count));
    if (!day.is_whole && day.partial == 0) return wall;
    if (!day.is_whole && !spent.contains(day.partial)) {
      const int time =
          first_left(*this, rule, day.partial, static_cast<int>(wall - day_count * seconds_per_day), budget);
      if (time != no_time) return day_count * seconds_per_day + time;
      // The first day may have begun behind times that are left on others like it.
      if (!is_first_day && is_same_every_day_) return WallRule::none;
      if (!is_first_day) spent.add(day.partial);
    }
    wall = rule.first_at_or_after((day_count + 1) * seconds_per_day);
  }
  return WallRule::none;
}

WallSecond Exclusions::last_kept(const WallRule& rule, WallSecond from, WallSecond since, Budget& budget) const {
  WallSecond wall = rule.last_at_or_before(from);
  if (is_empty()) return wall;
  if (is_everything()) return WallRule::none;
  SpentDays spent;
  for (bool is_first_day = true; wall != WallRule::none && wall >= since; is_first_day = false) {
    if (!budget.take(steps_per_day() + spent.steps())) return WallRule::none;
    const std::int64_t day_count = floor_divide(wall, seconds_per_day);
    const Day day = on(static_cast<std::int32_t>(day_count));
    if (!day.is_whole && day.partial == 0) return wall;
    if (!day.is_whole && !spent.contains(day.partial)) {
      const int time =
          last_left(*this, rule, day.partial, static_cast<int>(wall - day_count * seconds_per_day), budget);
      if (time != no_time) return day_count * seconds_per_day + time;
      if (!is_first_day && is_same_every_day_) return WallRule::none;
      if (!is_first_day) spent.add(day.partial);
    }
    wall = rule.last_at_or_before(day_count * seconds_per_day - 1);
  }
  return WallRule::none;
}

}  // namespace carillon
