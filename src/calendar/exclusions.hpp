#pragma once

#include "calendar/budget.hpp"
#include "calendar/wall_rule.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace carillon {

/// The wall times that a spec leaves out. Its searches look at each day once, however much of it is excluded, so that
/// even a spec that excludes everything is answered quickly.
class Exclusions {
 public:
  /// How many rules may exclude part of a day; the bits of a day's key.
  static constexpr std::size_t partial_max = 64;

  /// False when there are already partial_max rules for parts of a day.
  [[nodiscard]] bool add(const WallRule& rule);

  [[nodiscard]] bool is_empty() const { return whole_days_.empty() && partial_.empty(); }
  /// Whether one of the rules alone leaves nothing at all; several together may do so too.
  [[nodiscard]] bool is_everything() const { return is_everything_; }
  /// Whether no rule names a date, so that one day tells about all.
  [[nodiscard]] bool is_same_every_day() const { return is_same_every_day_; }
  [[nodiscard]] bool excludes(WallSecond wall) const;

  /// What is excluded on one day: all of it, or what the rules in `partial` name (bit n = rule n).
  struct Day {
    bool is_whole = false;
    std::uint64_t partial = 0;
  };
  [[nodiscard]] Day on(std::int32_t day_count) const;
  [[nodiscard]] bool excludes_time(std::uint64_t partial, int second_of_day) const;
  /// The excluded seconds of one minute, as a mask.
  [[nodiscard]] std::uint64_t seconds_of(std::uint64_t partial, int hour, int minute) const;

  /// False when nothing of the rule is ever left because of exclusions that name no date: then no search is needed.
  [[nodiscard]] bool may_leave(const WallRule& rule) const;

  /// The first wall time at or after `from` (the last at or before) that the rule matches and nothing excludes, or
  /// `none`. The search for the first may give up behind `until`, that for the last before `since`.
  [[nodiscard]] WallSecond first_kept(const WallRule& rule, WallSecond from, WallSecond until, Budget& budget) const;
  [[nodiscard]] WallSecond last_kept(const WallRule& rule, WallSecond from, WallSecond since, Budget& budget) const;

  /// The steps that asking for one day takes.
  [[nodiscard]] std::uint64_t steps_per_day() const { return 1 + whole_days_.size() + partial_.size(); }

 private:
  bool is_everything_ = false;
  bool is_same_every_day_ = true;
  std::uint64_t every_day_ = 0;  // the partial rules that name no date
  std::vector<WallRule> whole_days_;
  std::vector<WallRule> partial_;
};

}  // namespace carillon
