#include "calendar/timetable.hpp"
#include "oracle/oracle.hpp"
#include "oracle/spec_builder.hpp"
#include "oracle/system_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

// Places where other engines are known to answer wrongly, to repeat themselves or never to answer. Every expected time
// is worked out by hand from the zone's rules; the oracle must agree with it too.

namespace carillon::oracle {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

using Times = std::vector<std::string>;

Timetable timetable_of(const Spec& spec) { return Timetable::make(spec, zone_of(spec.timezone), Instant{}).value(); }

/// The calendar and the oracle both give these times, and the calendar gives them backwards too.
void expect_after(const Spec& spec, std::string_view after, Times expected) {
  const Timetable timetable = timetable_of(spec);
  EXPECT_THAT(following(timetable, after, expected.size()), ElementsAreArray(expected));
  EXPECT_THAT(following(Oracle{spec, Instant{}}, after, expected.size()), ElementsAreArray(expected));
  const std::string end = to_text(utc(expected.back()) + Duration{1});
  std::reverse(expected.begin(), expected.end());
  EXPECT_THAT(preceding(timetable, end, expected.size()), ElementsAreArray(expected));
}

void expect_after(const char* cron, const char* zone, std::string_view after, Times expected) {
  SCOPED_TRACE(testing::Message() << cron << " in " << zone);
  expect_after(cron_spec(cron, zone), after, std::move(expected));
}

Error refusal_of(const char* cron) {
  const auto timetable = Timetable::make(cron_spec(cron), Zone::utc(), Instant{});
  if (timetable)
    return Error{.code = {}, .message = "accepted", .hint = {}, .rule = "accepted", .position = {}, .context = {}};
  return timetable.error();
}

// A day that a zone left out.

TEST(LostDay, apia_2011_goes_from_thursday_to_saturday) {
  expect_after("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z",
               {"2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z", "2011-12-31T22:00:00Z"});
  expect_after("0 */6 * * *", "Pacific/Apia", "2011-12-30T00:00:00Z",
               {"2011-12-30T04:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T16:00:00Z"});
}

TEST(LostDay, apia_2011_has_no_30_december) {
  expect_after("0 0 30 12 *", "Pacific/Apia", "2011-01-01T00:00:00Z", {"2012-12-29T10:00:00Z"});
}

TEST(LostDay, kwajalein_1993_has_no_21_august) {
  expect_after("30 9 * * *", "Pacific/Kwajalein", "1993-08-20T00:00:00Z",
               {"1993-08-20T21:30:00Z", "1993-08-21T21:30:00Z"});
  expect_after("0 0 * * *", "Pacific/Kwajalein", "1993-08-20T00:00:00Z",
               {"1993-08-20T12:00:00Z", "1993-08-21T12:00:00Z", "1993-08-22T12:00:00Z"});
  expect_after("15 10 21 8 *", "Pacific/Kwajalein", "1993-01-01T00:00:00Z", {"1994-08-20T22:15:00Z"});
}

TEST(LostDay, kiritimati_has_no_31_december_1994) {
  expect_after("0 0 31 12 *", "Pacific/Kiritimati", "1994-01-01T00:00:00Z", {"1995-12-30T10:00:00Z"});
}

// Changes that are not a whole hour.

TEST(OddShift, kathmandu_1986_skips_the_first_quarter_of_an_hour_of_the_year) {
  expect_after("0 0 * * *", "Asia/Kathmandu", "1985-12-31T12:00:00Z", {"1985-12-31T18:30:00Z", "1986-01-01T18:15:00Z"});
  expect_after("10 0 1 1 *", "Asia/Kathmandu", "1985-12-31T12:00:00Z",
               {"1985-12-31T18:30:00Z", "1986-12-31T18:25:00Z"});
  expect_after("*/5 * * * *", "Asia/Kathmandu", "1985-12-31T18:20:00Z",
               {"1985-12-31T18:25:00Z", "1985-12-31T18:30:00Z", "1985-12-31T18:35:00Z"});
}

TEST(OddShift, lord_howe_skips_half_an_hour) {
  expect_after("0 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z",
               {"2026-10-03T15:30:00Z", "2026-10-04T15:00:00Z"});
  expect_after("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z",
               {"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"});
  expect_after("15,30 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z",
               {"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z", "2026-10-04T15:30:00Z"});
  expect_after("*/15 * * * *", "Australia/Lord_Howe", "2026-10-03T15:10:00Z",
               {"2026-10-03T15:15:00Z", "2026-10-03T15:30:00Z", "2026-10-03T15:45:00Z"});
}

TEST(OddShift, lord_howe_repeats_half_an_hour) {
  expect_after("45 1 * * *", "Australia/Lord_Howe", "2027-04-03T00:00:00Z",
               {"2027-04-03T14:45:00Z", "2027-04-04T15:15:00Z"});
  expect_after("*/15 * * * *", "Australia/Lord_Howe", "2027-04-03T14:20:00Z",
               {"2027-04-03T14:30:00Z", "2027-04-03T14:45:00Z", "2027-04-03T15:00:00Z", "2027-04-03T15:15:00Z",
                "2027-04-03T15:30:00Z"});
}

TEST(OddShift, troll_skips_two_hours) {
  expect_after("30 1,2 * * *", "Antarctica/Troll", "2027-03-27T12:00:00Z",
               {"2027-03-28T01:00:00Z", "2027-03-28T23:30:00Z", "2027-03-29T00:30:00Z"});
}

TEST(OddShift, troll_repeats_two_hours) {
  expect_after("30 2 * * *", "Antarctica/Troll", "2027-10-30T12:00:00Z",
               {"2027-10-31T00:30:00Z", "2027-11-01T02:30:00Z"});
  expect_after("*/30 1-2 * * *", "Antarctica/Troll", "2027-10-30T22:59:00Z",
               {"2027-10-30T23:00:00Z", "2027-10-30T23:30:00Z", "2027-10-31T00:00:00Z", "2027-10-31T00:30:00Z",
                "2027-10-31T01:00:00Z", "2027-10-31T01:30:00Z", "2027-10-31T02:00:00Z", "2027-10-31T02:30:00Z"});
}

TEST(OddShift, monrovia_1972_leaves_an_offset_with_seconds) {
  expect_after("30 0 * * *", "Africa/Monrovia", "1972-01-06T12:00:00Z",
               {"1972-01-07T00:44:30Z", "1972-01-08T00:30:00Z"});
  expect_after("* * * * *", "Africa/Monrovia", "1972-01-07T00:43:00Z",
               {"1972-01-07T00:43:30Z", "1972-01-07T00:45:00Z", "1972-01-07T00:46:00Z"});
}

// Changes of offset that are not daylight saving.

TEST(NewStandardTime, pyongyang_2015_repeats_the_last_half_hour_of_a_day) {
  expect_after("45 23 * * *", "Asia/Pyongyang", "2015-08-14T12:00:00Z",
               {"2015-08-14T14:45:00Z", "2015-08-15T15:15:00Z"});
  expect_after("0 0 * * *", "Asia/Pyongyang", "2015-08-14T12:00:00Z", {"2015-08-14T15:30:00Z", "2015-08-15T15:30:00Z"});
}

TEST(NewStandardTime, pyongyang_2018_skips_the_last_half_hour_and_runs_on_the_next_day) {
  expect_after("45 23 * * *", "Asia/Pyongyang", "2018-05-04T12:00:00Z",
               {"2018-05-04T15:00:00Z", "2018-05-05T14:45:00Z"});
  expect_after("30 23 4 5 *", "Asia/Pyongyang", "2018-01-01T00:00:00Z",
               {"2018-05-04T15:00:00Z", "2019-05-04T14:30:00Z"});
  expect_after("0 0 5 5 *", "Asia/Pyongyang", "2018-01-01T00:00:00Z", {"2018-05-04T15:00:00Z", "2019-05-04T15:00:00Z"});
}

TEST(NewStandardTime, caracas_2016_skips_half_an_hour) {
  expect_after("45 2 * * *", "America/Caracas", "2016-04-30T12:00:00Z",
               {"2016-05-01T07:00:00Z", "2016-05-02T06:45:00Z"});
  expect_after("0 3 * * *", "America/Caracas", "2016-04-30T12:00:00Z",
               {"2016-05-01T07:00:00Z", "2016-05-02T07:00:00Z"});
}

TEST(NewStandardTime, caracas_2007_repeats_half_an_hour) {
  expect_after("45 2 * * *", "America/Caracas", "2007-12-08T12:00:00Z",
               {"2007-12-09T06:45:00Z", "2007-12-10T07:15:00Z"});
}

// Clocks that change at midnight.

TEST(MidnightChange, sao_paulo_skips_midnight) {
  expect_after("0 0 * * *", "America/Sao_Paulo", "2017-10-14T12:00:00Z",
               {"2017-10-15T03:00:00Z", "2017-10-16T02:00:00Z"});
  expect_after("30 0 * * SUN", "America/Sao_Paulo", "2017-10-14T12:00:00Z",
               {"2017-10-15T03:00:00Z", "2017-10-22T02:30:00Z"});
}

TEST(MidnightChange, sao_paulo_repeats_the_hour_before_midnight) {
  expect_after("30 23 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00Z",
               {"2018-02-18T01:30:00Z", "2018-02-19T02:30:00Z"});
  expect_after("0 0 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00Z",
               {"2018-02-18T03:00:00Z", "2018-02-19T03:00:00Z"});
}

TEST(MidnightChange, santiago_skips_and_repeats) {
  expect_after("0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z",
               {"2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"});
  expect_after("30 23 * * *", "America/Santiago", "2027-04-03T12:00:00Z",
               {"2027-04-04T02:30:00Z", "2027-04-05T03:30:00Z"});
}

TEST(MidnightChange, gaza_skips_and_repeats) {
  expect_after("0 0 * * *", "Asia/Gaza", "2021-03-26T12:00:00Z", {"2021-03-26T22:00:00Z", "2021-03-27T21:00:00Z"});
  expect_after("30 0 * * *", "Asia/Gaza", "2021-10-28T12:00:00Z", {"2021-10-28T21:30:00Z", "2021-10-29T22:30:00Z"});
}

// Daylight saving that tzdata writes as a negative saving in winter or in Ramadan.

TEST(NegativeSaving, dublin_skips_and_repeats_like_london) {
  expect_after("30 1 * * *", "Europe/Dublin", "2027-03-27T12:00:00Z", {"2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"});
  expect_after("30 1 * * *", "Europe/Dublin", "2027-10-30T12:00:00Z", {"2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"});
}

TEST(NegativeSaving, casablanca_repeats_before_ramadan_and_skips_after_it) {
  expect_after("30 2 * * *", "Africa/Casablanca", "2025-02-22T12:00:00Z",
               {"2025-02-23T01:30:00Z", "2025-02-24T02:30:00Z"});
  expect_after("30 2 * * *", "Africa/Casablanca", "2025-04-05T12:00:00Z",
               {"2025-04-06T02:00:00Z", "2025-04-07T01:30:00Z"});
}

// The ordinary hour: 02:00–03:00 is skipped on 2027-03-14, 01:00–02:00 repeated on 2026-11-01.

TEST(NewYorkGap, fixed_time_happens_once_when_the_gap_ends) {
  expect_after("30 2 * * *", "America/New_York", "2027-03-13T12:00:00Z",
               {"2027-03-14T07:00:00Z", "2027-03-15T06:30:00Z", "2027-03-16T06:30:00Z"});
}

TEST(NewYorkGap, asked_right_before_it_moves_on_instead_of_back) {
  expect_after("30 2 * * *", "America/New_York", "2027-03-14T06:30:00Z", {"2027-03-14T07:00:00Z"});
  expect_after("30 2 * * *", "America/New_York", "2027-03-14T06:59:59Z", {"2027-03-14T07:00:00Z"});
  expect_after("30 2 * * *", "America/New_York", "2027-03-14T07:00:00Z", {"2027-03-15T06:30:00Z"});
}

TEST(NewYorkGap, list_and_range_keep_each_of_their_times) {
  expect_after("30 1,2,3 * * *", "America/New_York", "2027-03-14T05:00:00Z",
               {"2027-03-14T06:30:00Z", "2027-03-14T07:00:00Z", "2027-03-14T07:30:00Z"});
  expect_after("30 0-4 * * *", "America/New_York", "2027-03-14T05:00:00Z",
               {"2027-03-14T05:30:00Z", "2027-03-14T06:30:00Z", "2027-03-14T07:00:00Z", "2027-03-14T07:30:00Z",
                "2027-03-14T08:30:00Z"});
}

TEST(NewYorkGap, times_inside_and_at_the_end_are_one_occurrence) {
  expect_after("0,20,40 2,3 * * *", "America/New_York", "2027-03-14T05:00:00Z",
               {"2027-03-14T07:00:00Z", "2027-03-14T07:20:00Z", "2027-03-14T07:40:00Z", "2027-03-15T06:00:00Z"});
}

TEST(NewYorkGap, wildcard_has_nothing_inside) {
  expect_after("*/15 2 * * *", "America/New_York", "2027-03-13T12:00:00Z", {"2027-03-15T06:00:00Z"});
  expect_after("*/15 * * * *", "America/New_York", "2027-03-14T06:40:00Z",
               {"2027-03-14T06:45:00Z", "2027-03-14T07:00:00Z", "2027-03-14T07:15:00Z"});
  expect_after("0 * * * *", "America/New_York", "2027-03-14T05:30:00Z",
               {"2027-03-14T06:00:00Z", "2027-03-14T07:00:00Z", "2027-03-14T08:00:00Z"});
}

TEST(NewYorkOverlap, fixed_time_happens_on_the_first_pass_only) {
  expect_after("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z",
               {"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"});
}

TEST(NewYorkOverlap, fixed_time_asked_in_the_second_pass_is_over) {
  expect_after("30 1 * * *", "America/New_York", "2026-11-01T06:10:00Z", {"2026-11-02T06:30:00Z"});
}

TEST(NewYorkOverlap, list_and_range_do_not_repeat) {
  expect_after("30 1,2 * * *", "America/New_York", "2026-11-01T04:00:00Z",
               {"2026-11-01T05:30:00Z", "2026-11-01T07:30:00Z", "2026-11-02T06:30:00Z"});
  expect_after("30 0-4 * * *", "America/New_York", "2026-11-01T04:00:00Z",
               {"2026-11-01T04:30:00Z", "2026-11-01T05:30:00Z", "2026-11-01T07:30:00Z", "2026-11-01T08:30:00Z",
                "2026-11-01T09:30:00Z"});
}

TEST(NewYorkOverlap, hourly_runs_every_hour) {
  expect_after("0 * * * *", "America/New_York", "2026-11-01T04:30:00Z",
               {"2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z", "2026-11-01T07:00:00Z"});
}

TEST(NewYorkOverlap, quarter_hours_lose_neither_pass) {
  expect_after("*/15 * * * *", "America/New_York", "2026-11-01T05:10:00Z",
               {"2026-11-01T05:15:00Z", "2026-11-01T05:30:00Z", "2026-11-01T05:45:00Z", "2026-11-01T06:00:00Z",
                "2026-11-01T06:15:00Z", "2026-11-01T06:30:00Z", "2026-11-01T06:45:00Z", "2026-11-01T07:00:00Z"});
}

// East of Greenwich the literal policy has to find both passes too.

TEST(BerlinOverlap, literal_times_happen_on_both_passes) {
  Spec spec = cron_spec("30 2 * * *", "Europe/Berlin");
  spec.dst = DstPolicy::literal;
  expect_after(spec, "2026-10-24T12:00:00Z", {"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"});
}

TEST(BerlinOverlap, hourly_loses_no_hour_and_twenty_minutes_invent_none) {
  expect_after("0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z",
               {"2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"});
  expect_after("*/20 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
               {"2026-10-25T00:00:00Z", "2026-10-25T00:20:00Z", "2026-10-25T00:40:00Z", "2026-10-25T01:00:00Z",
                "2026-10-25T01:20:00Z", "2026-10-25T01:40:00Z", "2026-10-26T01:00:00Z"});
}

// Plain input without any clock change.

TEST(PlainCron, days_1_and_31_do_not_skip_the_first_after_a_short_month) {
  const Times expected{"2025-03-01T00:00:00Z", "2025-03-31T00:00:00Z", "2025-04-01T00:00:00Z", "2025-05-01T00:00:00Z"};
  expect_after("0 0 1,31 * *", "UTC", "2025-02-02T00:00:00Z", expected);
  expect_after("0 0 */30 * *", "UTC", "2025-02-02T00:00:00Z", expected);
}

TEST(PlainCron, days_1_15_and_31_do_not_overflow_a_short_month) {
  expect_after("0 0 1,15,31 * *", "UTC", "2025-02-02T00:00:00Z",
               {"2025-02-15T00:00:00Z", "2025-03-01T00:00:00Z", "2025-03-15T00:00:00Z", "2025-03-31T00:00:00Z",
                "2025-04-01T00:00:00Z"});
}

TEST(PlainCron, leap_day_is_found_over_a_century_without_one) {
  expect_after("0 0 29 2 *", "UTC", "2092-03-01T00:00:00Z", {"2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"});
}

TEST(PlainCron, weekdays_0_to_7_are_every_day) {
  expect_after("0 0 * * 0-7", "UTC", "2026-05-04T00:00:00Z",
               {"2026-05-05T00:00:00Z", "2026-05-06T00:00:00Z", "2026-05-07T00:00:00Z", "2026-05-08T00:00:00Z",
                "2026-05-09T00:00:00Z", "2026-05-10T00:00:00Z", "2026-05-11T00:00:00Z"});
}

TEST(PlainCron, weekdays_5_to_7_are_friday_saturday_and_sunday) {
  for (const char* cron : {"0 0 * * 5-7", "0 0 * * FRI-SUN", "0 0 * * 5,6-0", "0 0 * * 5,6,7"}) {
    expect_after(cron, "UTC", "2026-05-04T00:00:00Z",
                 {"2026-05-08T00:00:00Z", "2026-05-09T00:00:00Z", "2026-05-10T00:00:00Z", "2026-05-15T00:00:00Z"});
  }
}

TEST(PlainCron, seconds_start_anew_when_the_minute_moves_on) {
  expect_after("15,45 * * * * SAT", "UTC", "2026-05-08T12:00:30Z",
               {"2026-05-09T00:00:15Z", "2026-05-09T00:00:45Z", "2026-05-09T00:01:15Z"});
}

TEST(PlainCron, hash_is_no_comment) {
  expect_after("0 0 * * 5#2", "UTC", "2026-05-01T00:00:00Z", {"2026-05-08T00:00:00Z", "2026-06-12T00:00:00Z"});
}

TEST(PlainCron, five_l_is_the_last_friday) {
  expect_after("0 0 * * 5L", "UTC", "2026-05-01T00:00:00Z", {"2026-05-29T00:00:00Z", "2026-06-26T00:00:00Z"});
}

TEST(PlainCron, step_beyond_the_range_is_the_first_value) {
  expect_after("*/60 * * * *", "UTC", "2026-05-01T00:10:00Z", {"2026-05-01T01:00:00Z", "2026-05-01T02:00:00Z"});
  expect_after("*/100 * * * *", "UTC", "2026-05-01T00:10:00Z", {"2026-05-01T01:00:00Z", "2026-05-01T02:00:00Z"});
}

TEST(PlainCron, every_first_day_of_the_month_step_counts_as_no_restriction) {
  expect_after("0 0 */1 * FRI", "UTC", "2026-05-01T00:00:00Z", {"2026-05-08T00:00:00Z", "2026-05-15T00:00:00Z"});
}

// Texts that some engine accepts, with a meaning nobody wants.

TEST(RefusedCron, reversed_range_names_what_to_write) {
  const Error error = refusal_of("0 22-2 * * *");

  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_THAT(error.message, HasSubstr("22-2"));
  EXPECT_THAT(error.hint, HasSubstr("22-23,0-2"));
}

TEST(RefusedCron, texts_that_others_accept) {
  for (const char* cron : {"",
                           " ",
                           "*",
                           "* * *",
                           "* * * *",
                           "* * * * * * *",
                           "0 0 * * * 2026 x",
                           "0x5 * * * *",
                           "1,,2 * * * *",
                           ",1 * * * *",
                           "1, * * * *",
                           "1.5 * * * *",
                           "*/-5 * * * *",
                           "1-10/-1 * * * *",
                           "*/0 * * * *",
                           "+5 * * * *",
                           "-5 * * * *",
                           "4294967301 * * * *",
                           "00005 * * * *",
                           "60 * * * *",
                           "0 24 * * *",
                           "0 0 0 * *",
                           "0 0 32 * *",
                           "0 0 * 0 *",
                           "0 0 * 13 *",
                           "0 0 * * 8",
                           "0 0 * NOV-FEB *",
                           "0 0 * * 5-1",
                           "0 0 * * FRI-TUE",
                           "0 0 * * 7-1",
                           "? * * * *",
                           "0 ? * * *",
                           "0 0 * * L",
                           "0 0 * * 5#0",
                           "0 0 * * 5#6",
                           "0 0 * * 5W",
                           "0 0 0W * *",
                           "0 0 32W * *",
                           "\xd9\xa5 * * * *",
                           "\xef\xbc\x95 * * * *",
                           "0 0 * * MONDAY",
                           "0 0 * JANUARY *",
                           "@reboot",
                           "@every 5m",
                           "@noon",
                           "TZ=UTC 0 0 * * *",
                           "CRON_TZ=UTC 0 0 * * *",
                           "0 0 * * * # comment",
                           "H * * * *",
                           "0~30 * * * *"}) {
    EXPECT_EQ(refusal_of(cron).rule, "invalid-cron") << '"' << cron << '"';
  }
}

TEST(RefusedCron, days_that_no_month_has) {
  for (const char* cron : {"0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30,31 FEB ?", "0 0 30W 2 *",
                           "0 0 L-29 2 *", "0 0 31 4 */1"}) {
    EXPECT_EQ(refusal_of(cron).rule, "never-fires") << cron;
  }
}

TEST(RefusedCron, impossible_day_is_fine_when_a_weekday_may_match_instead) {
  expect_after("0 0 31 2 1", "UTC", "2026-02-01T00:00:00Z", {"2026-02-02T00:00:00Z", "2026-02-09T00:00:00Z"});
}

}  // namespace
}  // namespace carillon::oracle
