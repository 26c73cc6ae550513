#include "oracle/oracle.hpp"

#include "oracle/spec_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::oracle {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

const Instant creation = utc("2026-01-01T00:00:00Z");

std::vector<std::string> next_of(const Spec& spec, std::string_view after, std::size_t count) {
  return following(Oracle{spec, creation}, after, count);
}

std::vector<std::string> previous_of(const Spec& spec, std::string_view before, std::size_t count) {
  return preceding(Oracle{spec, creation}, before, count);
}

TEST(OracleClock, agrees_with_absl_second_by_second_around_transitions) {
  for (const char* name : {"America/New_York", "Australia/Lord_Howe", "Africa/Monrovia", "Pacific/Apia",
                           "Pacific/Kwajalein", "Antarctica/Troll", "Asia/Kathmandu", "Europe/Dublin", "Asia/Gaza"}) {
    const Clock& clock = clock_of(name);
    const std::vector<Second> transitions = clock.transitions(0, 4'102'444'800);

    EXPECT_FALSE(transitions.empty()) << name;
    for (const Second transition : transitions) {
      for (Second instant = transition - 3; instant <= transition + 3; ++instant) {
        const Second offset = clock.zone().At(absl::FromUnixSeconds(instant)).offset;
        ASSERT_EQ(clock.stretch_at(instant).offset, offset) << name << ' ' << instant;
      }
    }
  }
}

TEST(OracleClock, has_no_other_transitions_than_absl_shows_hour_by_hour) {
  for (const char* name : {"America/New_York", "Africa/Casablanca", "America/Caracas", "Asia/Pyongyang", "Asia/Gaza"}) {
    const Clock& clock = clock_of(name);

    for (Second instant = 0; instant < 4'102'444'800; instant += 3600) {
      ASSERT_EQ(clock.stretch_at(instant).offset, clock.zone().At(absl::FromUnixSeconds(instant)).offset)
          << name << ' ' << instant;
    }
  }
}

TEST(OracleFields, match_the_days_worked_out_by_hand) {
  struct Case {
    const char* cron;
    const char* after;
    const char* expected;
  };
  const Case cases[] = {
      {"0 0 L * *", "2028-02-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 L-3 * *", "2026-02-01T00:00:00Z", "2026-02-25T00:00:00Z"},
      {"0 0 15W * *", "2026-08-01T00:00:00Z", "2026-08-14T00:00:00Z"},  // the 15th is a Saturday
      {"0 0 15W * *", "2026-11-01T00:00:00Z", "2026-11-16T00:00:00Z"},  // the 15th is a Sunday
      {"0 0 1W * *", "2026-07-31T00:00:00Z", "2026-08-03T00:00:00Z"},   // the 1st is a Saturday
      {"0 0 31W * *", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"},  // the 31st is a Sunday
      {"0 0 31W * *", "2026-06-01T00:00:00Z", "2026-07-31T00:00:00Z"},  // June has no 31st
      {"0 0 LW * *", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"},
      {"0 0 * * 5L", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"},
      {"0 0 * * FRI#L", "2026-04-01T00:00:00Z", "2026-04-24T00:00:00Z"},
      {"0 0 * * 1#5", "2026-04-01T00:00:00Z", "2026-06-29T00:00:00Z"},  // April and May have four Mondays
      {"0 0 * * 7#1", "2026-05-01T00:00:00Z", "2026-05-03T00:00:00Z"},
      {"0 0 13 * 5", "2026-05-09T00:00:00Z", "2026-05-13T00:00:00Z"},
      {"0 0 13 * 5", "2026-05-13T00:00:00Z", "2026-05-15T00:00:00Z"},
      {"0 0 */1 * 5", "2026-05-09T00:00:00Z", "2026-05-15T00:00:00Z"},
      {"0 0 ? * 5-7", "2026-05-09T00:00:00Z", "2026-05-10T00:00:00Z"},
      {"0 0 ? * fri-sun/2", "2026-05-09T00:00:00Z", "2026-05-10T00:00:00Z"},
      {"0 0 ? * 4/2", "2026-05-08T00:00:00Z", "2026-05-09T00:00:00Z"},  // Thursday and Saturday
      {"0 0 1-31 * 5", "2026-05-09T00:00:00Z", "2026-05-10T00:00:00Z"},
      {"0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},
      {"  0\t0 1 Jan-mar,DEC *  ", "2026-03-02T00:00:00Z", "2026-12-01T00:00:00Z"},
      {"@weekly", "2026-05-04T00:00:00Z", "2026-05-10T00:00:00Z"},
      {"10/25 59 23 31 12 *", "2026-05-04T00:00:00Z", "2026-12-31T23:59:10Z"},
      {"*/100 * * * *", "2026-05-04T00:00:00Z", "2026-05-04T01:00:00Z"},
  };
  for (const Case& c : cases) EXPECT_THAT(next_of(cron_spec(c.cron), c.after, 1), ElementsAre(c.expected)) << c.cron;
}

TEST(OracleFields, calendar_needs_both_day_fields) {
  Calendar friday_13;
  friday_13.day_of_month = "13";
  friday_13.day_of_week = "FRI";

  EXPECT_THAT(next_of(calendar_spec(friday_13), "2026-04-01T00:00:00Z", 1), ElementsAre("2026-11-13T00:00:00Z"));
}

TEST(OracleClockChanges, fixed_time_in_a_gap_happens_once_when_the_gap_ends) {
  const Spec spec = cron_spec("0,30,59 2 * * *", "America/New_York");

  EXPECT_THAT(next_of(spec, "2027-03-13T12:00:00Z", 2), ElementsAre("2027-03-14T07:00:00Z", "2027-03-15T06:00:00Z"));
  EXPECT_THAT(previous_of(spec, "2027-03-15T00:00:00Z", 2),
              ElementsAre("2027-03-14T07:00:00Z", "2027-03-13T07:59:00Z"));
}

TEST(OracleClockChanges, fixed_time_shown_twice_happens_on_the_first_pass) {
  const Spec spec = cron_spec("30 1 * * *", "America/New_York");

  EXPECT_THAT(next_of(spec, "2026-10-31T12:00:00Z", 2), ElementsAre("2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"));
  EXPECT_THAT(next_of(spec, "2026-11-01T06:10:00Z", 1), ElementsAre("2026-11-02T06:30:00Z"));
  EXPECT_THAT(previous_of(spec, "2026-11-01T06:40:00Z", 1), ElementsAre("2026-11-01T05:30:00Z"));
}

TEST(OracleClockChanges, wildcard_follows_the_clock) {
  const Spec spec = cron_spec("*/30 1-2 * * *", "America/New_York");

  EXPECT_THAT(next_of(spec, "2027-03-14T05:00:00Z", 3),
              ElementsAre("2027-03-14T06:00:00Z", "2027-03-14T06:30:00Z", "2027-03-15T05:00:00Z"));
  EXPECT_THAT(next_of(spec, "2026-11-01T05:00:00Z", 4), ElementsAre("2026-11-01T05:30:00Z", "2026-11-01T06:00:00Z",
                                                                    "2026-11-01T06:30:00Z", "2026-11-01T07:00:00Z"));
}

TEST(OracleClockChanges, literal_spec_skips_the_gap_and_repeats_the_overlap) {
  Spec spec = cron_spec("30 1,2 * * *", "America/New_York");
  spec.dst = DstPolicy::literal;

  EXPECT_THAT(next_of(spec, "2027-03-14T05:00:00Z", 2), ElementsAre("2027-03-14T06:30:00Z", "2027-03-15T05:30:00Z"));
  EXPECT_THAT(next_of(spec, "2026-11-01T05:00:00Z", 3),
              ElementsAre("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-01T07:30:00Z"));
}

TEST(OracleClockChanges, lost_day_is_not_made_up) {
  const Spec spec = cron_spec("0 12 * * *", "Pacific/Apia");

  EXPECT_THAT(next_of(spec, "2011-12-29T00:00:00Z", 2), ElementsAre("2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z"));
}

TEST(OracleExclusions, match_the_wall_time_before_it_is_moved) {
  Spec spec = cron_spec("30 2 * * *", "America/New_York");
  spec.exclude.push_back(Calendar::any());
  spec.exclude.back().hour = "2";
  spec.exclude.back().day_of_month = "14";

  EXPECT_THAT(next_of(spec, "2027-03-13T12:00:00Z", 1), ElementsAre("2027-03-15T06:30:00Z"));
}

TEST(OracleExclusions, of_another_time_in_the_gap_leave_the_moved_one) {
  Spec spec = cron_spec("15,30 2 * * *", "America/New_York");
  spec.exclude.push_back(Calendar::any());
  spec.exclude.back().minute = "15";
  spec.exclude.push_back(Calendar::any());
  spec.exclude.back().hour = "3";

  EXPECT_THAT(next_of(spec, "2027-03-13T12:00:00Z", 1), ElementsAre("2027-03-14T07:00:00Z"));
}

TEST(OracleExclusions, of_a_local_date_drop_interval_and_one_off_times) {
  Spec spec;
  spec.timezone = "Asia/Tokyo";
  spec.intervals.push_back({.every = hours{6}, .offset = hours{1}, .anchor = Anchor::epoch});
  spec.times.push_back(utc("2026-12-24T20:00:00Z"));
  spec.exclude.push_back(Calendar::any());
  spec.exclude.back().month = "12";
  spec.exclude.back().day_of_month = "25";

  EXPECT_THAT(next_of(spec, "2026-12-24T13:00:00Z", 2), ElementsAre("2026-12-25T19:00:00Z", "2026-12-26T01:00:00Z"));
}

TEST(OracleIntervals, count_from_their_anchor) {
  Spec spec;
  spec.start_at = utc("2026-06-01T00:10:00Z");
  spec.intervals.push_back({.every = hours{1}, .offset = minutes{5}, .anchor = Anchor::start});
  spec.intervals.push_back({.every = hours{24}, .offset = Duration{0}, .anchor = Anchor::creation});

  EXPECT_THAT(next_of(spec, "2026-01-01T00:00:00Z", 2), ElementsAre("2026-06-01T00:15:00Z", "2026-06-01T01:15:00Z"));
  EXPECT_THAT(previous_of(spec, "2026-06-02T00:10:00Z", 2),
              ElementsAre("2026-06-02T00:00:00Z", "2026-06-01T23:15:00Z"));
  EXPECT_THAT(previous_of(spec, "2026-06-01T00:15:00Z", 1), IsEmpty());
}

TEST(OracleBounds, start_and_end_are_occurrences_themselves) {
  Spec spec = cron_spec("* * * * *");
  spec.start_at = utc("2026-06-01T00:10:00Z");
  spec.end_at = utc("2026-06-01T00:12:00Z");
  const Oracle oracle{spec, creation};

  EXPECT_EQ(oracle.occurrences(instant_min, instant_max).size(), 3U);
  EXPECT_EQ(oracle.occurrences(*spec.start_at, *spec.end_at).size(), 2U);
  EXPECT_EQ(oracle.next(*spec.start_at - Duration{1}), spec.start_at);
  EXPECT_EQ(oracle.previous(*spec.end_at + Duration{1}), spec.end_at);
  EXPECT_EQ(oracle.next(*spec.end_at), std::nullopt);
}

TEST(OracleBounds, sources_that_meet_give_one_occurrence) {
  Spec spec = cron_spec("0 9 * * *");
  spec.crons.push_back("0 */9 * * *");
  spec.times.push_back(utc("2026-06-01T09:00:00Z"));

  EXPECT_THAT(next_of(spec, "2026-06-01T08:00:00Z", 2), ElementsAre("2026-06-01T09:00:00Z", "2026-06-01T18:00:00Z"));
}

}  // namespace
}  // namespace carillon::oracle
