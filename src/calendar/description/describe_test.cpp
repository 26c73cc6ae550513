#include "calendar/description/describe.hpp"

#include "calendar/cron.hpp"
#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using testing::at;
using testing::new_york;

Spec cron_spec(std::string cron, std::string timezone = "UTC") {
  Spec spec;
  spec.crons = {std::move(cron)};
  spec.timezone = std::move(timezone);
  return spec;
}

Spec calendar_spec(Calendar calendar) {
  Spec spec;
  spec.calendars = {std::move(calendar)};
  return spec;
}

Calendar at_nine(CalendarField day_of_month, CalendarField month, CalendarField day_of_week, CalendarField year = "*") {
  Calendar calendar;
  calendar.hour = "9";
  calendar.day_of_month = std::move(day_of_month);
  calendar.month = std::move(month);
  calendar.day_of_week = std::move(day_of_week);
  calendar.year = std::move(year);
  return calendar;
}

std::string words(const Spec& spec) {
  auto described = describe(spec);
  return described ? *described : "error: " + described.error().message;
}

struct Row {
  std::string expression;
  std::string sentence;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.expression; }
};

class Sentence : public ::testing::TestWithParam<Row> {};

TEST_P(Sentence, says_what_the_expression_means) {
  EXPECT_EQ(words(cron_spec(GetParam().expression)), GetParam().sentence);
}

// Where other describers mislead.
INSTANTIATE_TEST_SUITE_P(
    Misread, Sentence,
    ::testing::Values(Row{"0 9 * * 1-5", "At 09:00, Monday to Friday"},
                      Row{"0 0 13 * 5", "At 00:00 on the 13th of the month or on any Friday"},
                      Row{"30 8 1-7 * 1", "At 08:30 on the 1st to 7th or on any Monday"},
                      Row{"*/45 * * * *", "At minutes 0 and 45 of every hour"},
                      Row{"*/7 * * * *",
                          "At minutes 0, 7, ... 56 of every hour (uneven: 4 minutes at the turn of the hour)"},
                      Row{"0 0 */2 * *", "At 00:00 on odd days of the month"},
                      Row{"* 2 * * *", "Every minute from 02:00 through 02:59"},
                      Row{"5/15 * * * *", "At minutes 5, 20, 35 and 50 of every hour"},
                      Row{"0 0 31 2 *", "error: 31 February never occurs"},
                      Row{"0 0 29 2 *", "At 00:00 on 29 February (leap years only)"},
                      Row{"*/10 * * * * *", "Every 10 seconds"}));

INSTANTIATE_TEST_SUITE_P(
    Times, Sentence,
    ::testing::Values(
        Row{"* * * * *", "Every minute"}, Row{"*/1 * * * *", "Every minute"}, Row{"*/15 * * * *", "Every 15 minutes"},
        Row{"0,30 * * * *", "Every 30 minutes"}, Row{"0 * * * *", "Every hour"}, Row{"@hourly", "Every hour"},
        Row{"0 */2 * * *", "Every 2 hours"}, Row{"0 */12 * * *", "Every 12 hours"},
        Row{"30 * * * *", "At minute 30 of every hour"}, Row{"*/60 * * * *", "Every hour"},
        Row{"0 */5 * * *", "At 00:00, 05:00, 10:00, 15:00 and 20:00 every day"}, Row{"0 0 * * *", "At 00:00 every day"},
        Row{"30 9,17 * * *", "At 09:30 and 17:30 every day"},
        Row{"0,30 9,17 * * *", "At 09:00, 09:30, 17:00 and 17:30 every day"},
        Row{"*/30 2 * * *", "At 02:00 and 02:30 every day"}, Row{"0 9-11 * * *", "At 09:00, 10:00 and 11:00 every day"},
        Row{"30 9-17 * * *", "Every hour from 09:30 through 17:30"},
        Row{"0 8-18/2 * * *", "Every 2 hours from 08:00 through 18:00"},
        Row{"0 9-12,14-17 * * *", "Every hour from 09:00 through 12:00 and from 14:00 through 17:00"},
        Row{"5-59/10 9-17 * * *", "Every 10 minutes from 09:05 through 17:55"},
        Row{"*/15 9-11,14 * * *", "Every 15 minutes from 09:00 through 11:45 and from 14:00 through 14:45"},
        Row{"* 0-5,22-23 * * *", "Every minute from 00:00 through 05:59 and from 22:00 through 23:59"},
        Row{"0-29 9 * * *", "Every minute from 09:00 through 09:29"},
        Row{"*/15 0,3,6,9,12 * * *", "Every 15 minutes in hours 0, 3, 6, 9 and 12"},
        Row{"0-14 * * * *", "At minutes 0 to 14 of every hour"},
        Row{"1-59/2 * * * *", "At minutes 1, 3, ... 59 of every hour"},
        Row{"*/8 9-17 * * *", "At minutes 0, 8, ... 56 past hours 9 to 17 (uneven: 4 minutes at the turn of the hour)"},
        Row{"0-30/3 * * * *", "At minutes 0, 3, 6, 9, 12, 15, 18, 21, 24, 27 and 30 of every hour"},
        Row{"1,2,5,7,11,13,17,19,23,29,31,37,41 * * * *", "At minutes 1, 2, ... 41 (13 values) of every hour"},
        Row{"5,10,17 1,2,5,9,11 * * *", "At minutes 5, 10 and 17 past hours 1, 2, 5, 9 and 11"},
        Row{"0,1,2,30,31,32,45 * * * *", "At minutes 0 to 2, 30 to 32 and 45 of every hour"}));

INSTANTIATE_TEST_SUITE_P(
    Seconds, Sentence,
    ::testing::Values(Row{"* * * * * *", "Every second"}, Row{"0 30 9 * * *", "At 09:30 every day"},
                      Row{"15 30 9 * * *", "At 09:30:15 every day"},
                      Row{"30 * * * * *", "At second 30 of every minute"},
                      Row{"5/15 * * * * *", "At seconds 5, 20, 35 and 50 of every minute"},
                      Row{"*/7 * * * * *",
                          "At seconds 0, 7, ... 56 of every minute (uneven: 4 seconds at the turn of the minute)"},
                      Row{"*/10 * 9-17 * * *", "Every 10 seconds from 09:00:00 through 17:59:50"},
                      Row{"* 30 9 * * *", "Every second from 09:30:00 through 09:30:59"},
                      Row{"*/20 0-9 9 * * *", "Every 20 seconds from 09:00:00 through 09:09:40"},
                      Row{"30 * 9-17 * * *", "Every minute from 09:00:30 through 17:59:30"},
                      Row{"30 */15 * * * *", "At second 30 of minutes 0, 15, 30 and 45 of every hour"},
                      Row{"* */15 * * * *", "Every second of minutes 0, 15, 30 and 45 of every hour"},
                      Row{"5,7 * 9-17 * * *", "At seconds 5 and 7 of every minute from 09:00 through 17:59"},
                      Row{"5,7 */10 1,3,5,7 * * *",
                          "At seconds 5 and 7 of minutes 0, 10, 20, 30, 40 and 50 past hours 1, 3, 5 and 7"}));

INSTANTIATE_TEST_SUITE_P(
    DaysOfWeek, Sentence,
    ::testing::Values(
        Row{"0 9 * * 1", "At 09:00 on Monday"}, Row{"0 9 * * 0,6", "At 09:00 on Saturday and Sunday"},
        Row{"0 9 * * FRI-SUN", "At 09:00, Friday to Sunday"}, Row{"0 9 * * 6,0,1", "At 09:00, Saturday to Monday"},
        Row{"0 9 * * 1,3,5", "At 09:00 on Monday, Wednesday and Friday"},
        Row{"0 9 * * 1-6", "At 09:00, Monday to Saturday"}, Row{"0 9 * * 0-5", "At 09:00, Sunday to Friday"},
        Row{"0 9 * * 0-2,4-6", "At 09:00 every day except Wednesday"}, Row{"0 9 * * 0-6", "At 09:00 every day"},
        Row{"0 9 * * 1-7", "At 09:00 every day"}, Row{"*/5 * * * 1-5", "Every 5 minutes, Monday to Friday"},
        Row{"0 9 * * 5L", "At 09:00 on the last Friday of the month"},
        Row{"0 9 * * FRI#L", "At 09:00 on the last Friday of the month"},
        Row{"0 9 * * 1#2", "At 09:00 on the second Monday of the month"},
        Row{"0 9 * * MON#1,MON#3", "At 09:00 on the first and third Monday of the month"},
        Row{"0 9 * * 1#1,5#3", "At 09:00 on the first Monday and the third Friday of the month"},
        Row{"0 9 * * 1,5#1", "At 09:00 on Monday and on the first Friday of the month"},
        Row{"0 9 * * 1,1#2", "At 09:00 on Monday"},
        Row{"0 9 * 11 4#4", "At 09:00 on the fourth Thursday of November"}));

INSTANTIATE_TEST_SUITE_P(
    DaysOfMonth, Sentence,
    ::testing::Values(Row{"0 9 1,15 * *", "At 09:00 on the 1st and 15th of the month"},
                      Row{"0 9 1-7 * *", "At 09:00 on the 1st to 7th of the month"},
                      Row{"0 9 2-30/2 * *", "At 09:00 on even days of the month"},
                      Row{"0 9 1-31 * *", "At 09:00 every day"},
                      Row{"0 9 */3 * *", "At 09:00 on the 1st, 4th, ... 31st of the month"},
                      Row{"0 9 2,3,22,23 * *", "At 09:00 on the 2nd, 3rd, 22nd and 23rd of the month"},
                      Row{"0 9 11,12,13 * *", "At 09:00 on the 11th to 13th of the month"},
                      Row{"0 9 L * *", "At 09:00 on the last day of the month"},
                      Row{"0 9 L-3 * *", "At 09:00, 3 days before the last day of the month"},
                      Row{"0 9 L-1 * *", "At 09:00 on the day before the last day of the month"},
                      Row{"0 9 15W * *", "At 09:00 on the weekday nearest the 15th"},
                      Row{"0 9 1W,15W * *", "At 09:00 on the weekdays nearest the 1st and 15th"},
                      Row{"0 9 LW * *", "At 09:00 on the last weekday (Monday to Friday) of the month"},
                      Row{"0 9 1,L * *", "At 09:00 on the 1st of the month and on the last day of the month"},
                      Row{"0 9 15W 6 *", "At 09:00 on the weekday nearest 15 June"},
                      Row{"0 9 L 2 *", "At 09:00 on the last day of February"},
                      Row{"* * 1 * *", "Every minute on the 1st of the month"}));

INSTANTIATE_TEST_SUITE_P(
    Months, Sentence,
    ::testing::Values(Row{"0 9 * 1,7 *", "At 09:00 every day in January and July"},
                      Row{"0 9 * 6-8 *", "At 09:00 every day in June to August"},
                      Row{"0 9 * 11,12,1,2 *", "At 09:00 every day in November to February"},
                      Row{"*/5 * * 6 *", "Every 5 minutes in June"},
                      Row{"0 9 * 2-8,10 *", "At 09:00 every day in February to August and October"},
                      Row{"0 9 25 12 *", "At 09:00 on 25 December"}, Row{"@yearly", "At 00:00 on 1 January"},
                      Row{"0 9 24-26 12 *", "At 09:00 on 24 to 26 December"},
                      Row{"0 9 30,31 11 *", "At 09:00 on 30 November"},
                      Row{"0 9 1 1,7 *", "At 09:00 on 1 January and 1 July"},
                      Row{"0 9 1 */3 *", "At 09:00 on the 1st of the month in January, April, July and October"},
                      Row{"0 9 */2 2 *", "At 09:00 on odd days of February"},
                      Row{"0 9 * 6 1", "At 09:00 on Monday in June"},
                      Row{"0 9 * 6-8 1-5", "At 09:00, Monday to Friday, in June to August"}));

INSTANTIATE_TEST_SUITE_P(
    EitherDayField, Sentence,
    ::testing::Values(Row{"0 9 1 * MON", "At 09:00 on the 1st of the month or on any Monday"},
                      Row{"0 9 1,15 * 0,6", "At 09:00 on the 1st and 15th of the month or on any Saturday or Sunday"},
                      Row{"0 9 1 * 1-5", "At 09:00 on the 1st of the month or on any day from Monday to Friday"},
                      Row{"0 9 13 1 5", "At 09:00 in January, on the 13th of the month or on any Friday"},
                      Row{"0 9 L * 5L", "At 09:00 on the last day of the month or on the last Friday of the month"},
                      Row{"0 9 1-31 * 1", "At 09:00 every day"}, Row{"0 9 1 * 0-6", "At 09:00 every day"},
                      Row{"0 9 31 2 1", "At 09:00 on Monday in February"}));

struct CalendarRow {
  Calendar calendar;
  std::string sentence;
  friend std::ostream& operator<<(std::ostream& out, const CalendarRow& row) { return out << row.sentence; }
};

class CalendarSentence : public ::testing::TestWithParam<CalendarRow> {};

TEST_P(CalendarSentence, says_what_the_calendar_means) {
  EXPECT_EQ(words(calendar_spec(GetParam().calendar)), GetParam().sentence);
}

INSTANTIATE_TEST_SUITE_P(
    Calendars, CalendarSentence,
    ::testing::Values(
        CalendarRow{Calendar{}, "At 00:00 every day"}, CalendarRow{Calendar::any(), "Every second"},
        CalendarRow{at_nine("13", "*", "FRI"), "At 09:00 on the 13th of the month if it is a Friday"},
        CalendarRow{at_nine("1-7", "*", "SAT,SUN"),
                    "At 09:00 on the 1st to 7th of the month if it is a Saturday or Sunday"},
        CalendarRow{at_nine("1", "*", "1-5"), "At 09:00 on the 1st of the month if it falls on Monday to Friday"},
        CalendarRow{at_nine("25", "12", "FRI"), "At 09:00 on 25 December if it is a Friday"},
        CalendarRow{at_nine("1-7", "*", "MON#1"),
                    "At 09:00 on the 1st to 7th of the month if it is the first Monday of the month"},
        CalendarRow{at_nine("1-31", "*", "MON"), "At 09:00 on Monday"},
        CalendarRow{at_nine("*", "*", "*", "2027"), "At 09:00 every day in 2027"},
        CalendarRow{at_nine("*", "*", "*", "2027-2030"), "At 09:00 every day in 2027 to 2030"},
        CalendarRow{at_nine("*", "6", "*", "2027"), "At 09:00 every day in June 2027"},
        CalendarRow{at_nine("*", "1,7", "*", "2027,2029"), "At 09:00 every day in January and July of 2027 and 2029"},
        CalendarRow{at_nine("25", "12", "*", "2027"), "At 09:00 on 25 December 2027"},
        CalendarRow{at_nine("29", "2", "*", "2028"), "At 09:00 on 29 February 2028"},
        CalendarRow{at_nine("25", "12", "*", "2027-2029"), "At 09:00 on 25 December in 2027 to 2029"},
        CalendarRow{at_nine(std::vector<CalendarRange>{{1, 31, 2}}, "*", "*"), "At 09:00 on odd days of the month"},
        CalendarRow{at_nine("*", "*", std::vector<CalendarRange>{{1, 5, 1}}), "At 09:00, Monday to Friday"}));

TEST(Describe, names_the_zone_unless_it_is_utc) {
  EXPECT_EQ(words(cron_spec("*/15 9-17 * * 1-5", "America/New_York")),
            "Every 15 minutes from 09:00 through 17:45, Monday to Friday (America/New_York)");
  EXPECT_EQ(words(cron_spec("*/15 9-17 * * 1-5")), "Every 15 minutes from 09:00 through 17:45, Monday to Friday");
}

TEST(Describe, leaves_the_zone_out_where_nothing_depends_on_it) {
  Spec spec;
  spec.intervals = {{.every = 24h}};
  spec.timezone = "America/New_York";

  EXPECT_EQ(words(spec), "Every day, counted from creation");
}

TEST(Describe, an_empty_spec_is_started_by_hand) { EXPECT_EQ(words(Spec{}), "Started by hand only"); }

TEST(Describe, a_text_that_cannot_be_read_is_an_error_with_its_position) {
  const auto described = describe(cron_spec("0 25 * * *"));

  ASSERT_FALSE(described);
  EXPECT_EQ(described.error().position, 2U);
}

TEST(Describe, intervals_say_their_length_and_what_they_count_from) {
  const auto interval = [](Interval value) {
    Spec spec;
    spec.intervals = {value};
    return words(spec);
  };

  EXPECT_EQ(interval({.every = 90min}), "Every 1 hour 30 minutes, counted from creation");
  EXPECT_EQ(interval({.every = 1h, .offset = 5min}), "Every hour, counted from 5 minutes after creation");
  EXPECT_EQ(interval({.every = 15min, .anchor = Anchor::start}), "Every 15 minutes, counted from the start");
  EXPECT_EQ(interval({.every = 36h, .offset = 1h, .anchor = Anchor::epoch}),
            "Every 1 day 12 hours, counted from 1 hour after the start of 1970");
  EXPECT_EQ(interval({.every = 1500ms}), "Every 1 second 500 milliseconds, counted from creation");
}

TEST(Describe, one_off_times_are_told_in_utc) {
  const auto times = [](std::vector<Instant> instants) {
    Spec spec;
    spec.times = std::move(instants);
    return words(spec);
  };

  EXPECT_EQ(times({at("2027-01-31T09:00:00Z")}), "Once at 2027-01-31 09:00 UTC");
  EXPECT_EQ(times({at("2027-01-31T09:00:30Z")}), "Once at 2027-01-31 09:00:30 UTC");
  EXPECT_EQ(times({at("2027-03-01T00:00:00Z"), at("2027-01-31T09:00:00Z")}),
            "Twice, at 2027-01-31 09:00 UTC and 2027-03-01 00:00 UTC");
  EXPECT_EQ(times({at("2027-03-01T00:00:00Z"), at("2027-01-31T09:00:00Z"), at("2027-02-01T09:00:00.5Z")}),
            "At 3 times between 2027-01-31 09:00 UTC and 2027-03-01 00:00 UTC");
}

TEST(Describe, several_sources_become_one_sentence) {
  Spec spec;
  spec.crons = {"0 9 * * *", "0 17 * * 1-5", "00 09 * * *"};
  spec.calendars = {at_nine("25", "12", "*")};
  spec.intervals = {{.every = 1h}};

  EXPECT_EQ(words(spec),
            "At 09:00 every day; and at 17:00, Monday to Friday; and at 09:00 on 25 December; "
            "and every hour, counted from creation");
}

Calendar excluded(CalendarField hour, CalendarField day_of_month, CalendarField month, CalendarField day_of_week) {
  Calendar calendar = Calendar::any();
  calendar.hour = std::move(hour);
  calendar.day_of_month = std::move(day_of_month);
  calendar.month = std::move(month);
  calendar.day_of_week = std::move(day_of_week);
  return calendar;
}

TEST(Describe, exclusions_are_named) {
  const auto without = [](std::vector<Calendar> calendars) {
    Spec spec = cron_spec("0 9 * * *");
    spec.exclude = std::move(calendars);
    return words(spec);
  };

  EXPECT_EQ(without({excluded("*", "25", "12", "*")}), "At 09:00 every day, except on 25 December");
  EXPECT_EQ(without({excluded("*", "*", "*", "SAT,SUN"), excluded("*", "1", "1", "*")}),
            "At 09:00 every day, except on Saturday and Sunday and on 1 January");
  EXPECT_EQ(without({excluded("*", "*", "*", "1-5")}), "At 09:00 every day, except on Monday to Friday");
  EXPECT_EQ(without({excluded("*", "*", "12", "*")}), "At 09:00 every day, except in December");
  EXPECT_EQ(without({excluded("12", "*", "*", "*")}), "At 09:00 every day, except from 12:00 through 12:59 every day");
  EXPECT_EQ(without({excluded("9-10", "*", "*", "MON")}),
            "At 09:00 every day, except from 09:00 through 10:59 on Monday");
  EXPECT_EQ(without({Calendar{}}), "At 09:00 every day, except at 00:00 every day");
  EXPECT_EQ(without({Calendar::any()}), "At 09:00 every day, except at all times");
}

TEST(Describe, a_long_row_of_exclusions_is_counted) {
  Spec spec = cron_spec("0 9 * * *");
  for (int day = 1; day <= 9; ++day) spec.exclude.push_back(excluded("*", std::to_string(day), "1", "*"));

  EXPECT_EQ(words(spec),
            "At 09:00 every day, except on 1 January, on 2 January, on 3 January, on 4 January, on 5 January "
            "and 4 more exclusions");
}

TEST(Describe, start_end_jitter_and_literal_clock_changes_follow_the_rule) {
  Spec spec = cron_spec("0 9 * * *", "America/New_York");
  spec.start_at = at("2027-01-01T00:00:00Z");
  spec.end_at = at("2027-12-31T23:59:59Z");
  spec.jitter = 10min;
  spec.dst = DstPolicy::literal;

  EXPECT_EQ(words(spec),
            "At 09:00 every day, from 2027-01-01 00:00 UTC until 2027-12-31 23:59:59 UTC, "
            "spread over up to 10 minutes, clock changes taken literally (America/New_York)");
}

TEST(Describe, conditions_behind_several_sources_hold_for_all_of_them) {
  Spec spec;
  spec.crons = {"0 9 * * *", "0 17 * * *"};
  spec.end_at = at("2028-01-01T00:00:00Z");

  EXPECT_EQ(words(spec), "At 09:00 every day; and at 17:00 every day; until 2028-01-01 00:00 UTC");
}

TEST(Describe, equal_meanings_get_equal_sentences) {
  EXPECT_EQ(words(cron_spec("0-59/15 * * * *")), words(cron_spec("*/15 * * * *")));
  EXPECT_EQ(words(cron_spec("0 9 * * MON-FRI")), words(cron_spec("0 0 9 ? * 5,4,3,2,1")));
  EXPECT_EQ(words(cron_spec("0 9 */1 * *")), words(cron_spec("0 9 * 1-12 0-6")));
}

std::string any_item(int min, int max, std::vector<std::string> extensions) {
  const auto value = [&] { return *rc::gen::inRange(min, max + 1); };
  const int first = value();
  const int last = *rc::gen::inRange(first, max + 1);
  std::vector<std::string> items{"*", std::to_string(first), std::to_string(first) + "-" + std::to_string(last),
                                 "*/" + std::to_string(*rc::gen::inRange(1, max + 2)),
                                 std::to_string(first) + "/" + std::to_string(*rc::gen::inRange(1, max + 2))};
  items.insert(items.end(), extensions.begin(), extensions.end());
  return *rc::gen::elementOf(items);
}

std::string any_field(int min, int max, const std::vector<std::string>& extensions = {}) {
  std::string field = any_item(min, max, extensions);
  for (int more = *rc::gen::inRange(0, 4); more > 0; --more) field += "," + any_item(min, max, extensions);
  return field;
}

RC_GTEST_PROP(DescribeProperty, every_cron_gets_one_clean_sentence, ()) {
  std::string text = *rc::gen::arbitrary<bool>() ? any_field(0, 59) + " " : "";
  text += any_field(0, 59) + " " + any_field(0, 23) + " " + any_field(1, 31, {"L", "L-3", "15W", "LW"}) + " " +
          any_field(1, 12) + " " + any_field(0, 6, {"1#2", "5L", "0#5"});
  if (!parse_cron(text)) return;

  const std::string sentence = words(cron_spec(text));

  RC_LOG() << text << ": " << sentence;
  RC_ASSERT(sentence.starts_with("At ") || sentence.starts_with("Every "));
  RC_ASSERT(sentence.find("  ") == std::string::npos);
  RC_ASSERT(sentence.find(" ,") == std::string::npos);
  RC_ASSERT(sentence.back() != '.' && sentence.back() != ' ' && sentence.back() != ',');
  RC_ASSERT(sentence.size() < 1000U);
}

const Instant november = at("2026-11-15T12:00:00Z");

std::string words_in_new_york(const Spec& spec, Instant now = november) {
  return describe(spec, *new_york(), now).value();
}

TEST(DescribeClockChange, a_moved_occurrence_is_announced) {
  EXPECT_EQ(words_in_new_york(cron_spec("30 2 * * *", "America/New_York")),
            "At 02:30 every day (America/New_York); on 2027-03-14 at 03:00 (clock change)");
}

TEST(DescribeClockChange, only_what_is_moved_is_said_of_several_times) {
  EXPECT_EQ(words_in_new_york(cron_spec("30 2,14 * * *", "America/New_York")),
            "At 02:30 and 14:30 every day (America/New_York); on 2027-03-14 at 03:00 instead of 02:30 (clock change)");
  EXPECT_EQ(words_in_new_york(cron_spec("5-59/5 2 * * *", "America/New_York")),
            "Every 5 minutes from 02:05 through 02:55 (America/New_York); "
            "on 2027-03-14 at 03:00 instead of 02:05 and later (clock change)");
}

TEST(DescribeClockChange, is_silent_where_nothing_moves) {
  const auto is_silent = [](const Spec& spec, Instant now = november) {
    return words_in_new_york(spec, now) == words(spec);
  };
  Spec literal = cron_spec("30 2 * * *", "America/New_York");
  literal.dst = DstPolicy::literal;
  Spec ended = cron_spec("30 2 * * *", "America/New_York");
  ended.end_at = at("2027-03-01T00:00:00Z");
  Spec excluding = cron_spec("30 2 * * *", "America/New_York");
  excluding.exclude = {excluded("*", "*", "*", "SUN")};

  EXPECT_TRUE(is_silent(cron_spec("30 4 * * *", "America/New_York")));
  EXPECT_TRUE(is_silent(cron_spec("30 1 * * *", "America/New_York"))) << "an overlap moves nothing";
  EXPECT_TRUE(is_silent(cron_spec("*/30 2 * * *", "America/New_York"))) << "wildcards follow the clock";
  EXPECT_TRUE(is_silent(cron_spec("30 2 * * 1-5", "America/New_York"))) << "clocks change on a Sunday";
  EXPECT_TRUE(is_silent(cron_spec("0 2,3 * * *", "America/New_York"))) << "falls together with 03:00";
  EXPECT_TRUE(is_silent(cron_spec("30 2 12 3 *", "America/New_York"))) << "the next 12 March in a gap is in 2028";
  EXPECT_TRUE(is_silent(literal));
  EXPECT_TRUE(is_silent(ended));
  EXPECT_TRUE(is_silent(excluding));
}

}  // namespace
}  // namespace carillon
