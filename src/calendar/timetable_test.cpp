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
using ::testing::ElementsAre;
using testing::new_york;
using testing::zone_with_change;

Spec cron_spec(std::vector<std::string> crons) {
  Spec spec;
  spec.crons = std::move(crons);
  return spec;
}

Timetable timetable(const Spec& spec, ZonePtr zone = Zone::utc(), Instant creation = at("2026-01-01T00:00:00Z")) {
  return Timetable::make(spec, std::move(zone), creation).value();
}

std::vector<std::string> next_times(const Timetable& timetable, std::string_view after, int count) {
  std::vector<std::string> found;
  Instant instant = at(after);
  for (int i = 0; i < count; ++i) {
    const auto next = timetable.next(instant);
    found.push_back(next ? to_text(*next) : "none");
    if (!next) break;
    instant = *next;
  }
  return found;
}

std::vector<std::string> previous_times(const Timetable& timetable, std::string_view before, int count) {
  std::vector<std::string> found;
  Instant instant = at(before);
  for (int i = 0; i < count; ++i) {
    const auto previous = timetable.previous(instant);
    found.push_back(previous ? to_text(*previous) : "none");
    if (!previous) break;
    instant = *previous;
  }
  return found;
}

TEST(Timetable, next_is_strictly_after_and_previous_strictly_before) {
  const Timetable daily = timetable(cron_spec({"0 9 * * *"}));

  EXPECT_EQ(daily.next(at("2026-05-05T09:00:00Z")), at("2026-05-06T09:00:00Z"));
  EXPECT_EQ(daily.next(at("2026-05-05T08:59:59.999999Z")), at("2026-05-05T09:00:00Z"));
  EXPECT_EQ(daily.previous(at("2026-05-05T09:00:00Z")), at("2026-05-04T09:00:00Z"));
  EXPECT_EQ(daily.previous(at("2026-05-05T09:00:00.000001Z")), at("2026-05-05T09:00:00Z"));
}

TEST(Timetable, a_fixed_time_in_a_gap_happens_once_when_the_gap_ends) {
  const Timetable backup = timetable(cron_spec({"30 2 * * *"}), new_york());

  EXPECT_THAT(next_times(backup, "2027-03-13T12:00:00Z", 2),
              ElementsAre("2027-03-14T07:00:00Z", "2027-03-15T06:30:00Z"));
  EXPECT_THAT(previous_times(backup, "2027-03-15T06:30:00Z", 2),
              ElementsAre("2027-03-14T07:00:00Z", "2027-03-13T07:30:00Z"));
}

TEST(Timetable, all_matches_inside_a_gap_and_at_its_end_are_one_occurrence) {
  const Timetable several = timetable(cron_spec({"0,15,45 2,3 * * *"}), new_york());

  EXPECT_THAT(next_times(several, "2027-03-14T06:59:59Z", 3),
              ElementsAre("2027-03-14T07:00:00Z", "2027-03-14T07:15:00Z", "2027-03-14T07:45:00Z"));
}

TEST(Timetable, a_fixed_time_shown_twice_happens_on_the_first_pass_only) {
  const Timetable backup = timetable(cron_spec({"30 1 * * *"}), new_york());

  EXPECT_THAT(next_times(backup, "2026-11-01T00:00:00Z", 2),
              ElementsAre("2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"));
  EXPECT_THAT(next_times(backup, "2026-11-01T06:10:00Z", 1), ElementsAre("2026-11-02T06:30:00Z"));
  EXPECT_THAT(previous_times(backup, "2026-11-01T06:45:00Z", 1), ElementsAre("2026-11-01T05:30:00Z"));
}

TEST(Timetable, a_wildcard_follows_the_clock_through_both_changes) {
  const Timetable hourly = timetable(cron_spec({"0 * * * *"}), new_york());
  const Timetable half_hours_of_two = timetable(cron_spec({"*/30 2 * * *"}), new_york());

  EXPECT_THAT(next_times(hourly, "2026-11-01T04:30:00Z", 3),
              ElementsAre("2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z", "2026-11-01T07:00:00Z"));
  EXPECT_THAT(next_times(half_hours_of_two, "2027-03-14T00:00:00Z", 2),
              ElementsAre("2027-03-15T06:00:00Z", "2027-03-15T06:30:00Z"));
}

TEST(Timetable, literal_means_nothing_in_a_gap_and_twice_in_an_overlap) {
  Spec spec = cron_spec({"30 1,2 * * *"});
  spec.dst = DstPolicy::literal;
  const Timetable literal = timetable(spec, new_york());

  EXPECT_THAT(next_times(literal, "2027-03-14T00:00:00Z", 2),
              ElementsAre("2027-03-14T06:30:00Z", "2027-03-15T05:30:00Z"));
  EXPECT_THAT(next_times(literal, "2026-11-01T00:00:00Z", 3),
              ElementsAre("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-01T07:30:00Z"));
}

TEST(Timetable, a_gap_of_more_than_three_hours_is_not_made_up) {
  // A zone that jumps over the whole of 30 December.
  const ZonePtr apia = zone_with_change("2011-12-30T10:00:00Z", -10 * 3600, 14 * 3600);
  const Timetable daily = timetable(cron_spec({"0 9 * * *"}), apia);

  EXPECT_THAT(next_times(daily, "2011-12-29T00:00:00Z", 2),
              ElementsAre("2011-12-29T19:00:00Z", "2011-12-30T19:00:00Z"));
  EXPECT_THAT(previous_times(daily, "2011-12-30T19:00:00Z", 1), ElementsAre("2011-12-29T19:00:00Z"));
  EXPECT_EQ(daily.count(at("2011-12-01T00:00:00Z"), at("2012-01-01T00:00:00Z")), 31U);
}

TEST(Timetable, a_gap_that_ends_on_the_next_day_still_runs) {
  const ZonePtr pyongyang = zone_with_change("2018-05-04T15:00:00Z", 8 * 3600 + 1800, 9 * 3600);
  const Timetable late = timetable(cron_spec({"45 23 * * *"}), pyongyang);

  EXPECT_THAT(next_times(late, "2018-05-04T00:00:00Z", 2), ElementsAre("2018-05-04T15:00:00Z", "2018-05-05T14:45:00Z"));
}

TEST(Timetable, sources_are_united_and_one_instant_is_one_occurrence) {
  Spec spec = cron_spec({"0 9 * * *", "0 9,10 * * *"});
  spec.intervals = {{.every = 1h, .offset = 0s, .anchor = Anchor::epoch}};
  spec.times = {at("2026-05-05T09:00:00Z"), at("2026-05-05T09:30:00.5Z")};
  const Timetable united = timetable(spec);

  EXPECT_THAT(next_times(united, "2026-05-05T08:30:00Z", 3),
              ElementsAre("2026-05-05T09:00:00Z", "2026-05-05T09:30:00.5Z", "2026-05-05T10:00:00Z"));
  EXPECT_EQ(united.count(at("2026-05-05T00:00:00Z"), at("2026-05-06T00:00:00Z")), 25U);
}

TEST(Timetable, intervals_keep_the_phase_of_their_anchor) {
  Spec spec;
  spec.intervals = {{.every = 90min}};
  const Instant creation = at("2026-01-01T00:10:20.7Z");
  EXPECT_THAT(next_times(timetable(spec, Zone::utc(), creation), "2026-01-01T00:10:20.7Z", 2),
              ElementsAre("2026-01-01T01:40:20Z", "2026-01-01T03:10:20Z"));

  spec.intervals[0].anchor = Anchor::epoch;
  spec.intervals[0].offset = 5min;
  EXPECT_THAT(next_times(timetable(spec), "2026-01-01T00:00:00Z", 2),
              ElementsAre("2026-01-01T00:05:00Z", "2026-01-01T01:35:00Z"));

  spec.intervals[0] = {.every = 90min, .offset = 0s, .anchor = Anchor::start};
  spec.start_at = at("2026-02-01T00:07:00Z");
  EXPECT_THAT(next_times(timetable(spec), "2026-01-01T00:00:00Z", 2),
              ElementsAre("2026-02-01T00:07:00Z", "2026-02-01T01:37:00Z"));
}

TEST(Timetable, start_and_end_are_inclusive) {
  Spec spec = cron_spec({"0 9 * * *"});
  spec.start_at = at("2026-05-02T09:00:00Z");
  spec.end_at = at("2026-05-03T09:00:00Z");
  const Timetable clipped = timetable(spec);

  EXPECT_THAT(next_times(clipped, "2026-01-01T00:00:00Z", 3),
              ElementsAre("2026-05-02T09:00:00Z", "2026-05-03T09:00:00Z", "none"));
  EXPECT_THAT(previous_times(clipped, "2027-01-01T00:00:00Z", 3),
              ElementsAre("2026-05-03T09:00:00Z", "2026-05-02T09:00:00Z", "none"));
  EXPECT_EQ(clipped.count(instant_min, instant_max), 2U);
}

TEST(Timetable, a_calendar_asks_for_day_of_month_and_day_of_week_together) {
  Spec spec;
  Calendar friday_13;
  friday_13.day_of_month = "13";
  friday_13.day_of_week = "FRI";
  spec.calendars = {friday_13};

  EXPECT_THAT(next_times(timetable(spec), "2026-01-01T00:00:00Z", 3),
              ElementsAre("2026-02-13T00:00:00Z", "2026-03-13T00:00:00Z", "2026-11-13T00:00:00Z"));
}

TEST(Timetable, a_rule_for_years_far_apart_is_found) {
  Spec spec;
  Calendar leap_day_on_a_sunday;
  leap_day_on_a_sunday.day_of_month = "29";
  leap_day_on_a_sunday.month = "2";
  leap_day_on_a_sunday.day_of_week = "SUN";
  spec.calendars = {leap_day_on_a_sunday};

  EXPECT_THAT(next_times(timetable(spec), "2080-01-01T00:00:00Z", 2),
              ElementsAre("2088-02-29T00:00:00Z", "2128-02-29T00:00:00Z"));
}

TEST(Timetable, an_excluded_date_leaves_out_the_whole_local_day) {
  Spec spec = cron_spec({"0 */6 * * *"});
  Calendar christmas = Calendar::any();
  christmas.month = "12";
  christmas.day_of_month = "25";
  spec.exclude = {christmas};
  spec.times = {at("2026-12-25T17:00:00Z")};
  const Timetable without = timetable(spec, new_york());

  EXPECT_THAT(next_times(without, "2026-12-24T22:00:00Z", 2),
              ElementsAre("2026-12-24T23:00:00Z", "2026-12-26T05:00:00Z"));
  EXPECT_THAT(previous_times(without, "2026-12-26T05:00:00Z", 1), ElementsAre("2026-12-24T23:00:00Z"));
}

TEST(Timetable, an_exclusion_meets_the_wall_time_before_it_was_moved) {
  Spec spec = cron_spec({"30 2 * * *"});
  Calendar hour = Calendar::any();
  hour.hour = "3";
  spec.exclude = {hour};
  EXPECT_THAT(next_times(timetable(spec, new_york()), "2027-03-14T00:00:00Z", 1), ElementsAre("2027-03-14T07:00:00Z"));

  spec.exclude[0].hour = "2";
  EXPECT_EQ(timetable(spec, new_york()).next(at("2027-03-14T00:00:00Z")), std::nullopt);
}

TEST(Timetable, exclusions_that_leave_nothing_are_answered_at_once) {
  Calendar even = Calendar::any();
  even.second = "*/2";
  Calendar odd = Calendar::any();
  odd.second = "1-59/2";
  Spec spec = cron_spec({"* * * * * *"});
  spec.intervals = {{.every = 2s, .offset = 0s, .anchor = Anchor::epoch}, {.every = 7s}, {.every = 86399s}};
  spec.exclude = {even, odd};
  const Timetable nothing = timetable(spec, new_york());

  EXPECT_EQ(nothing.next(at("1970-01-01T00:00:00Z")), std::nullopt);
  EXPECT_EQ(nothing.previous(at("2199-01-01T00:00:00Z")), std::nullopt);
  EXPECT_EQ(nothing.count(at("2020-01-01T00:00:00Z"), at("2030-01-01T00:00:00Z")), 0U);
}

TEST(Timetable, an_interval_that_only_meets_excluded_seconds_never_happens) {
  Spec spec;
  spec.intervals = {{.every = 14s, .offset = 0s, .anchor = Anchor::epoch}};
  Calendar even = Calendar::any();
  even.second = "*/2";
  spec.exclude = {even};

  EXPECT_EQ(timetable(spec).next(at("1970-01-01T00:00:00Z")), std::nullopt);
  EXPECT_EQ(timetable(spec).previous(at("2199-01-01T00:00:00Z")), std::nullopt);
}

TEST(Timetable, counts_a_year_of_minutes_in_a_zone) {
  const Timetable minutes = timetable(cron_spec({"* * * * *"}), new_york());

  EXPECT_EQ(minutes.count(at("2026-01-01T05:00:00Z"), at("2027-01-01T05:00:00Z")), 525'600U);
  EXPECT_EQ(minutes.count(at("1970-01-01T05:00:00Z"), at("2170-01-01T05:00:00Z")), 105'190'560U);
}

TEST(Timetable, counts_half_open_ranges) {
  const Timetable daily = timetable(cron_spec({"0 9 * * *"}));

  EXPECT_EQ(daily.count(at("2026-05-05T09:00:00Z"), at("2026-05-06T09:00:00Z")), 1U);
  EXPECT_EQ(daily.count(at("2026-05-05T09:00:00.000001Z"), at("2026-05-06T09:00:00Z")), 0U);
  EXPECT_EQ(daily.count(at("2026-05-05T09:00:00Z"), at("2026-05-06T09:00:00.000001Z")), 2U);
  EXPECT_EQ(daily.count(at("2026-05-06T09:00:00Z"), at("2026-05-05T09:00:00Z")), 0U);
}

TEST(Timetable, lists_occurrences_up_to_a_limit) {
  const Timetable daily = timetable(cron_spec({"0 9 * * *"}));

  EXPECT_THAT(daily.occurrences(at("2026-05-05T09:00:00Z"), at("2026-05-08T09:00:00Z"), 2),
              ElementsAre(at("2026-05-05T09:00:00Z"), at("2026-05-06T09:00:00Z")));
  EXPECT_EQ(daily.occurrences(at("2026-05-05T09:00:00Z"), at("2026-05-08T09:00:00Z"), 10).size(), 3U);
}

TEST(Timetable, an_empty_spec_yields_nothing) {
  const Timetable empty = timetable(Spec{});

  EXPECT_EQ(empty.next(at("2026-01-01T00:00:00Z")), std::nullopt);
  EXPECT_EQ(empty.previous(at("2026-01-01T00:00:00Z")), std::nullopt);
  EXPECT_EQ(empty.count(instant_min, instant_max), 0U);
}

TEST(Timetable, nothing_is_found_outside_1900_to_2200) {
  const Timetable daily = timetable(cron_spec({"0 0 * * *"}));

  EXPECT_EQ(daily.next(instant_max), std::nullopt);
  EXPECT_EQ(daily.previous(instant_min), std::nullopt);
  EXPECT_EQ(daily.next(Instant::min()), instant_min);
  EXPECT_EQ(daily.next(Instant::max()), std::nullopt);
  EXPECT_EQ(daily.previous(Instant::max()), at("2199-12-31T00:00:00Z"));
  EXPECT_EQ(daily.count(Instant::min(), Instant::max()), 109'573U);
  EXPECT_EQ(daily.previous(Instant::min()), std::nullopt);
  EXPECT_EQ(daily.occurrences(Instant::min(), Instant::max(), 1).front(), instant_min);
}

// The values are those Temporal's own scheduler gives for these specs and seeds.
TEST(Jitter, agrees_with_temporal) {
  Spec daily;
  daily.intervals = {{.every = 24h, .offset = 0s, .anchor = Anchor::epoch}};
  daily.jitter = 1h;
  const Instant midnight = at("2022-03-24T00:00:00Z");
  EXPECT_EQ(timetable(daily).jitter(midnight, ""), 35min + 24s + 276ms);
  EXPECT_EQ(timetable(daily).jitter(midnight, "seed-1"), 6min + 12s + 519ms);
  EXPECT_EQ(timetable(daily).jitter(midnight, "seed-2"), 39min + 16s + 922ms);

  Spec once = cron_spec({});
  once.times = {at("2022-04-07T13:55:00Z")};
  once.jitter = 1h;
  EXPECT_EQ(timetable(once).jitter(once.times[0], ""), 2min + 26s + 927ms);
}

TEST(Jitter, never_reaches_the_occurrence_after_it) {
  Spec spec;
  spec.intervals = {{.every = 90min, .offset = 0s, .anchor = Anchor::epoch}};
  spec.jitter = 24h;
  const Timetable spread = timetable(spec);

  EXPECT_EQ(spread.jitter(at("2022-03-23T12:00:00Z"), ""), 14min + 36s + 524ms);
  EXPECT_EQ(spread.jitter(at("2022-03-23T13:30:00Z"), ""), 52min + 54s + 562ms);
  EXPECT_EQ(spread.jitter(at("2022-03-23T15:00:00Z"), ""), 8min + 3s + 724ms);
}

TEST(Jitter, is_bounded_by_excluded_occurrences_too) {
  Spec spec = cron_spec({"0 * * * *"});
  spec.jitter = 24h;
  const Duration without = timetable(spec).jitter(at("2022-03-23T12:00:00Z"), "x");
  Calendar one_o_clock = Calendar::any();
  one_o_clock.hour = "13";
  spec.exclude = {one_o_clock};
  spec.end_at = at("2022-03-23T12:30:00Z");

  EXPECT_EQ(timetable(spec).jitter(at("2022-03-23T12:00:00Z"), "x"), without);
}

TEST(ClockChangeOfAnOccurrence, says_when_it_was_moved_or_happens_once_of_twice) {
  const Timetable gap = timetable(cron_spec({"30 2 * * *"}), new_york());
  const Timetable overlap = timetable(cron_spec({"30 1 * * *"}), new_york());
  const Timetable hourly = timetable(cron_spec({"0 * * * *"}), new_york());

  const auto moved = gap.clock_change(at("2027-03-14T07:00:00Z"));
  const auto first = overlap.clock_change(at("2026-11-01T05:30:00Z"));
  const auto both = hourly.clock_change(at("2026-11-01T06:00:00Z"));

  ASSERT_TRUE(moved && first && both);
  EXPECT_EQ(moved->kind, ClockChange::Kind::moved);
  EXPECT_EQ(moved->wall, testing::second_at("2027-03-14T02:30:00Z"));
  EXPECT_EQ(first->kind, ClockChange::Kind::first_pass);
  EXPECT_EQ(both->kind, ClockChange::Kind::both_passes);
  EXPECT_TRUE(both->is_second_pass);
  EXPECT_FALSE(gap.clock_change(at("2027-03-15T06:30:00Z")));
}

}  // namespace
}  // namespace carillon
