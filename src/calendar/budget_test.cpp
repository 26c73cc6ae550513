#include "calendar/budget.hpp"

#include "calendar/timetable.hpp"
#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using testing::at;
using testing::new_york;

const Instant now = testing::at("2026-06-01T12:00:00Z");

Calendar times_of_day(std::string hour, std::string minute, std::string second = "*") {
  Calendar calendar = Calendar::any();
  calendar.hour = std::move(hour);
  calendar.minute = std::move(minute);
  calendar.second = std::move(second);
  return calendar;
}

enum class Left { one_minute, one_second };

/// Intervals that meet what is left of each day rarely, and each at another time.
Spec heavy_spec(int interval_count, Left left = Left::one_minute) {
  Spec spec;
  for (int i = 0; i < interval_count; ++i) spec.intervals.push_back({.every = 86'000s + i * 7s});
  for (int hour = 0; hour < 23; ++hour) {
    spec.exclude.push_back(times_of_day(std::to_string(hour), "0-29"));
    spec.exclude.push_back(times_of_day(std::to_string(hour), "30-59"));
  }
  spec.exclude.push_back(times_of_day("23", "0-58"));
  if (left == Left::one_second) spec.exclude.push_back(times_of_day("23", "59", "1-59"));
  return spec;
}

Timetable timetable(const Spec& spec, ZonePtr zone = Zone::utc()) {
  return Timetable::make(spec, std::move(zone), at("2026-01-01T00:00:00Z")).value();
}

std::vector<Instant> one_by_one(const Timetable& table, Instant from, std::size_t count) {
  std::vector<Instant> found;
  for (auto next = table.next(from - Duration{1}); next && found.size() < count; next = table.next(*next))
    found.push_back(*next);
  return found;
}

TEST(Budget, ends_a_search_that_would_take_longer) {
  const Timetable heavy = timetable(heavy_spec(64, Left::one_second));
  Budget small{1'000};

  static_cast<void>(heavy.next(now, small));

  EXPECT_TRUE(small.is_spent());
  EXPECT_EQ(small.used(), 1'000U);
}

TEST(Budget, is_the_same_for_the_same_question) {
  const Timetable table = timetable(heavy_spec(4));
  Budget first = Budget::unlimited();
  Budget second = Budget::unlimited();

  EXPECT_EQ(table.occurrences(now, instant_max, 3, first), table.occurrences(now, instant_max, 3, second));

  EXPECT_EQ(first.used(), second.used());
  EXPECT_GT(first.used(), 0U);
}

TEST(Budget, of_many_occurrences_is_not_that_of_as_many_searches) {
  const Timetable table = timetable(heavy_spec(32));
  Budget each = Budget::unlimited();
  Instant last = now;
  for (int i = 0; i < 20; ++i) last = table.next(last, each).value();
  Budget together = Budget::unlimited();

  const auto found = table.occurrences(now + Duration{1}, instant_max, 20, together);

  ASSERT_EQ(found.size(), 20U);
  EXPECT_EQ(found.back(), last);
  EXPECT_LT(2 * together.used(), each.used()) << together.used() << " steps, not " << each.used();
}

TEST(Budget, of_a_search_does_not_grow_with_sources_that_are_later_anyway) {
  Spec spec = heavy_spec(0);
  spec.crons = {"59 23 * * *"};
  const Timetable one = timetable(spec);
  spec.intervals = heavy_spec(64).intervals;
  const Timetable many = timetable(spec);
  Budget for_one = Budget::unlimited();
  Budget for_many = Budget::unlimited();

  EXPECT_EQ(one.next(now, for_one), many.next(now, for_many)) << "the cron is the first to come";

  EXPECT_LE(for_many.used(), 100 * for_one.used()) << "each source is looked at for a day, not for years";
}

TEST(CostOfASpec, is_refused_when_it_is_absurd) {
  const auto cost = timetable(heavy_spec(64, Left::one_second)).check_cost(now);

  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().rule, "too-complex");
  EXPECT_THAT(cost.error().hint, ::testing::HasSubstr("fewer intervals"));
}

TEST(CostOfASpec, is_fine_for_what_people_write) {
  std::vector<Spec> specs;
  for (const std::string cron : {"* * * * *", "*/10 * * * * *", "0 9 * * 1-5", "0 0 29 2 *", "30 2 L * *"}) {
    Spec spec;
    spec.crons = {cron};
    specs.push_back(spec);
    // All holidays of many years, and the nights.
    for (int i = 0; i < 900; ++i) {
      Calendar holiday = Calendar::any();
      holiday.day_of_month = std::to_string(1 + i % 28);
      holiday.month = std::to_string(1 + i % 12);
      holiday.year = std::to_string(2026 + i % 30);
      spec.exclude.push_back(holiday);
    }
    spec.exclude.push_back(times_of_day("20-23", "*"));
    specs.push_back(spec);
  }
  Spec intervals;
  for (int i = 0; i < 64; ++i) intervals.intervals.push_back({.every = 60s + i * 1s});
  specs.push_back(intervals);

  for (const Spec& spec : specs)
    EXPECT_TRUE(timetable(spec, new_york()).check_cost(now))
        << (spec.crons.empty() ? "intervals" : spec.crons.front()) << ", " << spec.exclude.size() << " exclusions";
}

TEST(Walk, finds_what_one_search_after_the_other_finds) {
  Spec mixed;
  mixed.crons = {"30 2 * * *", "*/7 1 * * *", "0 12 1 * *"};
  mixed.intervals = {{.every = 5h}, {.every = 26h, .offset = 3min}, {.every = 24h}};
  mixed.times = {at("2026-11-01T05:30:00.5Z"), at("2026-11-02T00:00:00Z")};
  mixed.exclude = {times_of_day("3-4", "*"), times_of_day("1", "0-20")};
  for (const DstPolicy dst : {DstPolicy::cron, DstPolicy::literal}) {
    mixed.dst = dst;
    const Timetable table = timetable(mixed, new_york());
    for (const char* from : {"2026-10-30T00:00:00Z", "2027-03-13T00:00:00Z"})
      EXPECT_EQ(table.occurrences(at(from), instant_max, 200), one_by_one(table, at(from), 200)) << from;
  }
  const Timetable rare = timetable(heavy_spec(5), new_york());
  EXPECT_EQ(rare.occurrences(now, instant_max, 5), one_by_one(rare, now, 5));
}

TEST(Walk, counts_points_that_intervals_share_once) {
  Spec spec;
  spec.intervals = {{.every = 2h}, {.every = 3h}, {.every = 6h}};
  const Timetable table = timetable(spec);

  EXPECT_EQ(table.count(at("2026-02-01T00:00:00Z"), at("2026-02-03T00:00:00Z")), 32U);
}

}  // namespace
}  // namespace carillon
