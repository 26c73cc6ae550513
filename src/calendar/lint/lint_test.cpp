#include "calendar/lint/lint.hpp"

#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using testing::at;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::new_york;
using testing::zone_with_change;

const Instant november = at("2026-11-15T12:00:00Z");

Spec cron_spec(std::string cron) {
  Spec spec;
  spec.crons = {std::move(cron)};
  return spec;
}

Spec calendar_spec(Calendar calendar) {
  Spec spec;
  spec.calendars = {std::move(calendar)};
  return spec;
}

std::vector<std::string> codes(const std::vector<Finding>& findings) {
  std::vector<std::string> found;
  found.reserve(findings.size());
  for (const Finding& finding : findings) found.emplace_back(finding.code);
  return found;
}

std::vector<std::string> codes_in_utc(const std::string& cron) {
  return codes(lint(cron_spec(cron), Zone::utc(), november));
}

/// The first finding with a code; an empty one if there is none.
Finding finding_of(const Spec& spec, std::string_view code, const ZonePtr& zone = Zone::utc(), Instant now = november) {
  const auto findings = lint(spec, zone, now);
  const auto found = std::ranges::find(findings, code, &Finding::code);
  return found != findings.end() ? *found : Finding{};
}

struct Row {
  std::string cron;
  std::vector<std::string> codes;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.cron; }
};

class Lint : public ::testing::TestWithParam<Row> {};

TEST_P(Lint, finds_what_is_suspicious_and_nothing_else) { EXPECT_EQ(codes_in_utc(GetParam().cron), GetParam().codes); }

INSTANTIATE_TEST_SUITE_P(NothingToSay, Lint,
                         ::testing::Values(Row{"0 9 * * *", {}}, Row{"0 9 * * 1-5", {}},
                                           Row{"*/15 9-17 * * MON-FRI", {}}, Row{"* * * * *", {}}, Row{"@daily", {}},
                                           Row{"@monthly", {}}, Row{"@yearly", {}}, Row{"@weekly", {}},
                                           Row{"0 0 1,15 * *", {}}, Row{"*/10 * * * * *", {}}, Row{"0 30 9 * * *", {}},
                                           Row{"30 2 * * *", {}}, Row{"0 */6 1 1,7 *", {}}));

INSTANTIATE_TEST_SUITE_P(MinuteStarHour, Lint,
                         ::testing::Values(Row{"* 9 * * *", {"minute-star-hour"}},
                                           Row{"* 9,17 * * *", {"minute-star-hour"}},
                                           Row{"* */2 * * *", {"minute-star-hour"}},
                                           Row{"*/1 9 * * *", {"minute-star-hour"}},
                                           Row{"0 * 9 * * *", {"minute-star-hour"}}, Row{"* 9-17 * * *", {}},
                                           Row{"*/5 9 * * *", {}}, Row{"0-59 9 * * *", {}}, Row{"* * 1 * *", {}}));

INSTANTIATE_TEST_SUITE_P(DomDowOr, Lint,
                         ::testing::Values(Row{"0 9 1 * MON", {"dom-dow-or"}}, Row{"0 9 1-7 * 1", {"dom-dow-or"}},
                                           Row{"0 9 1-31 * 1", {"dom-dow-or"}}, Row{"0 9 1 * 0-6", {"dom-dow-or"}},
                                           Row{"0 9 1-31 * 0-6", {}}, Row{"0 9 1-31 * *", {}}, Row{"0 9 */1 * 1", {}},
                                           Row{"0 9 1 * *", {}}, Row{"0 9 * * 1", {}}));

INSTANTIATE_TEST_SUITE_P(Steps, Lint,
                         ::testing::Values(Row{"*/7 * * * *", {"uneven-step"}}, Row{"*/45 * * * *", {"uneven-step"}},
                                           Row{"0 */5 * * *", {"uneven-step"}}, Row{"0 0 */2 * *", {"uneven-step"}},
                                           Row{"0 0 1 */5 *", {"uneven-step"}}, Row{"0 0 * * */2", {"uneven-step"}},
                                           Row{"*/7 * * * * *", {"uneven-step"}},
                                           Row{"0-59/7 * * * *", {"uneven-step"}},
                                           Row{"0 */25 * * *", {"uneven-step", "step-once"}}, Row{"*/15 * * * *", {}},
                                           Row{"0-30/7 * * * *", {}}, Row{"0,7,14,21,28,35,42,49,56 * * * *", {}},
                                           Row{"0 */8 * * *", {}}, Row{"0 0 1 */3 *", {}}, Row{"0 0 2-30/2 * *", {}},
                                           Row{"*/60 * * * *", {"step-once"}}, Row{"0 */24 * * *", {"step-once"}},
                                           Row{"0 0 */31 * *", {"step-once"}}, Row{"0 0 1 */12 *", {"step-once"}},
                                           Row{"0 0 * * */7", {"step-once"}}, Row{"10-20/30 * * * *", {"step-once"}},
                                           Row{"10 * * * *", {}}, Row{"*/30 * * * *", {}}));

INSTANTIATE_TEST_SUITE_P(ShortMonth, Lint,
                         ::testing::Values(Row{"0 0 31 * *", {"short-month"}}, Row{"0 0 30 * *", {"short-month"}},
                                           Row{"0 0 29 * *", {"short-month"}}, Row{"0 0 29 2 *", {"short-month"}},
                                           Row{"0 0 28-31 * *", {"short-month"}}, Row{"0 0 1,31 * *", {"short-month"}},
                                           Row{"0 0 31 1-6 *", {"short-month"}}, Row{"0 0 31 1,3,5 *", {}},
                                           Row{"0 0 30 4-6 *", {}}, Row{"0 0 28 * *", {}}, Row{"0 0 1-31 * *", {}},
                                           Row{"0 0 15-31 * *", {}}, Row{"0 0 20-31,L-2 * *", {"not-portable"}},
                                           Row{"0 0 31W * *", {"short-month", "not-portable"}},
                                           Row{"0 0 24-31 12 *", {}}));

INSTANTIATE_TEST_SUITE_P(EverySecond, Lint,
                         ::testing::Values(Row{"* * * * * *", {"every-second"}}, Row{"* 0 9 * * *", {"every-second"}},
                                           Row{"*/2 * * * * *", {}}, Row{"0 * * * * *", {}},
                                           Row{"0-59 * * * * *", {}}));

INSTANTIATE_TEST_SUITE_P(NotPortable, Lint,
                         ::testing::Values(Row{"5/15 * * * *", {"not-portable"}}, Row{"0 0 ? * MON", {"not-portable"}},
                                           Row{"0 0 * * 7", {"not-portable"}}, Row{"0 0 * * FRI-SUN", {"not-portable"}},
                                           Row{"0 0 * * 5-7", {"not-portable"}}, Row{"0 0 L * *", {"not-portable"}},
                                           Row{"0 0 15W * *", {"not-portable"}}, Row{"0 0 LW * *", {"not-portable"}},
                                           Row{"0 0 * * FRI#2", {"not-portable"}},
                                           Row{"0 0 * * FRIL", {"not-portable"}}, Row{"0 0 * * SUN", {}},
                                           Row{"5-59/15 * * * *", {}}, Row{"0 0 * JAN-MAR FRI", {}}));

INSTANTIATE_TEST_SUITE_P(QuartzWeekday, Lint,
                         ::testing::Values(Row{"0 0 12 ? * 2", {"not-portable", "quartz-weekday"}},
                                           Row{"0 0 12 ? * 2-6", {"not-portable", "quartz-weekday"}},
                                           Row{"0 12 ? * 6#3", {"not-portable", "not-portable", "quartz-weekday"}},
                                           Row{"0 0 12 ? * 1,7", {"not-portable", "not-portable", "quartz-weekday"}},
                                           Row{"0 0 12 ? * MON-FRI", {"not-portable"}},
                                           Row{"0 0 12 ? * 0", {"not-portable"}}, Row{"0 0 12 ? * *", {"not-portable"}},
                                           Row{"0 0 12 1 * ?", {"not-portable"}}, Row{"0 0 12 * * 2", {}}));

struct Text {
  std::string cron;
  std::string code;
  std::string message;
  std::string fix;
  friend std::ostream& operator<<(std::ostream& out, const Text& text) { return out << text.cron; }
};

class LintText : public ::testing::TestWithParam<Text> {};

TEST_P(LintText, says_what_happens_and_what_to_write) {
  const Finding finding = finding_of(cron_spec(GetParam().cron), GetParam().code);

  EXPECT_EQ(finding.message, GetParam().message);
  EXPECT_EQ(finding.fix, GetParam().fix);
  EXPECT_EQ(finding.pointer, "/cron/0");
  EXPECT_EQ(finding.severity, Severity::warning);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, LintText,
    ::testing::Values(
        Text{"* 9 * * *", "minute-star-hour", "* in the minute field runs 60 times in hour 9",
             "write \"0 9 * * *\" to run at minute 0 only"},
        Text{"0 9 1 * MON", "dom-dow-or",
             "\"0 9 1 * MON\" means on the 1st of the month or on any Monday, not both together",
             "for both together write a calendar with dayOfMonth \"1\" and dayOfWeek \"MON\", or test one of them in "
             "the job"},
        Text{"30 8 8-14 * 1", "dom-dow-or",
             "\"30 8 8-14 * 1\" means on the 8th to 14th or on any Monday, not both together",
             "for both together write \"30 8 * * MON#2\""},
        Text{"0 9 1-31 * 1", "dom-dow-or",
             "\"0 9 1-31 * 1\" runs every day: \"1-31\" is a restriction too, and either day field suffices",
             "write \"0 9 * * 1\" to let the other day field decide"},
        Text{"0 9 */2 * 1", "dom-dow-or",
             "\"0 9 */2 * 1\" means on odd days of the month or on any Monday, not both together; vixie cron and "
             "cronie read it as both together",
             "for both together write a calendar with dayOfMonth \"*/2\" and dayOfWeek \"1\", or test one of them in "
             "the job"},
        Text{"*/7 * * * *", "uneven-step",
             "\"*/7\" in the minute field is not every 7 minutes: from minute 56 to minute 0 it is 4 minutes",
             "for every 7 minutes exactly write an interval, like every: 7m"},
        Text{"0 0 */2 * *", "uneven-step",
             "\"*/2\" in the day of month field is not every 2 days: from the 31st to the 1st it is 1 day",
             "for every 2 days exactly write an interval, like every: 2d"},
        Text{"0 0 1 */5 *", "uneven-step",
             "\"*/5\" in the month field is not every 5 months: from November to January it is 2 months",
             "list the months that are meant"},
        Text{"0 */25 * * *", "uneven-step",
             "\"*/25\" in the hour field is not every 25 hours: it begins anew with every day",
             "for every 25 hours exactly write an interval, like every: 25h"},
        Text{"*/60 * * * *", "step-once", "\"*/60\" in the minute field matches once an hour: minute 0",
             "write \"0 * * * *\""},
        Text{"0 0 31 * *", "short-month",
             "day 31 does not exist in February, April, June, September and November: nothing runs for it there",
             "write \"0 0 L * *\" for the last day of the month"},
        Text{"0 0 28-31 * *", "short-month",
             "day 31 does not exist in February, April, June, September and November: nothing runs for it there",
             "write \"0 0 L * *\" for the last day of the month"},
        Text{"0 0 29 2 *", "short-month",
             "day 29 does not exist in February except in leap years: nothing runs for it there",
             "write L for the last day of the month, or a day up to 28"},
        Text{"0 0 L-30 * *", "short-month",
             "L-30 does not exist in February, April, June, September and November: nothing runs for it there",
             "count from the 1st instead of from the last day"},
        Text{"* * 9 * * *", "every-second",
             "six fields begin with the seconds: * there runs every second of each matching minute",
             "write \"0 * 9 * * *\" to run once a minute"},
        Text{"1,5/15 * * * *", "not-portable",
             "a start with a step, as in \"1,5/15\", is refused by vixie cron, cronie, php's cron-expression and, "
             "unless told otherwise, croner",
             "write \"1,5-59/15 * * * *\""},
        Text{"0 0 * * 7", "not-portable",
             "7 for Sunday is refused by robfig/cron, APScheduler and croncpp, and means Saturday in Quartz",
             "write 0 or SUN for Sunday"},
        Text{"0 0 12 ? * 2-6", "quartz-weekday",
             "\"2-6\" with ? looks like Quartz, where it is Monday, Tuesday, Wednesday, Thursday and Friday; here it "
             "is Tuesday, Wednesday, Thursday, Friday and Saturday",
             "write the names of the days, like MON-FRI"}));

TEST(LintClockChange, a_time_in_the_next_gap_is_told_with_its_date_and_instant) {
  const Finding finding = finding_of(cron_spec("30 2 * * *"), "dst-gap", new_york());

  EXPECT_EQ(finding.message, "02:30 does not exist on 2027-03-14 in America/New_York; runs once at 03:00 EDT (07:00Z)");
  EXPECT_EQ(finding.fix, "choose a time outside 02:00 through 02:59, unless a later run is fine");
  EXPECT_EQ(finding.at, at("2027-03-14T07:00:00Z"));
  EXPECT_EQ(finding.pointer, "/cron/0");
}

TEST(LintClockChange, a_time_in_the_next_overlap_is_told_with_its_date_and_instant) {
  const Finding finding = finding_of(cron_spec("30 1 * * *"), "dst-overlap", new_york());

  EXPECT_EQ(finding.message, "01:30 happens twice on 2027-11-07 in America/New_York; runs once, at 01:30 EDT (05:30Z)");
  EXPECT_EQ(finding.at, at("2027-11-07T05:30:00Z"));
}

TEST(LintClockChange, literal_times_are_lost_or_doubled) {
  Spec spec = cron_spec("30 1,2 * * *");
  spec.dst = DstPolicy::literal;

  EXPECT_EQ(finding_of(spec, "dst-gap", new_york()).message,
            "02:30 does not exist on 2027-03-14 in America/New_York; it does not run");
  EXPECT_EQ(finding_of(spec, "dst-overlap", new_york()).message,
            "01:30 happens twice on 2027-11-07 in America/New_York; runs twice, at 01:30 EDT (05:30Z) and again at "
            "01:30 EST (06:30Z)");
}

TEST(LintClockChange, several_times_in_one_gap_run_once) {
  EXPECT_EQ(finding_of(cron_spec("15,45 2 * * *"), "dst-gap", new_york()).message,
            "02:15 and 02:45 do not exist on 2027-03-14 in America/New_York; they run once at 03:00 EDT (07:00Z)");
  EXPECT_EQ(finding_of(cron_spec("0-59/10 2 * * *"), "dst-gap", new_york()).message,
            "6 times from 02:00 through 02:50 do not exist on 2027-03-14 in America/New_York; they run once at 03:00 "
            "EDT (07:00Z)");
}

TEST(LintClockChange, a_gap_that_ends_on_another_day_names_both) {
  // Pyongyang's half hour before midnight of 2018-05-05.
  const ZonePtr zone = zone_with_change("2018-05-04T15:00:00Z", 8 * 3600 + 1800, 9 * 3600);

  const Finding finding = finding_of(cron_spec("45 23 * * *"), "dst-gap", zone, at("2018-05-01T00:00:00Z"));

  EXPECT_EQ(finding.message,
            "23:45 does not exist on 2018-05-04 in Test/Change; runs once at 2018-05-05 00:00 NEW (15:00Z)");
}

TEST(LintClockChange, a_lost_day_is_not_made_up_for) {
  const ZonePtr zone = zone_with_change("2011-12-30T10:00:00Z", -10 * 3600, 14 * 3600);

  const Finding finding = finding_of(cron_spec("0 9 * * *"), "dst-gap", zone, at("2011-12-01T00:00:00Z"));

  EXPECT_EQ(finding.message, "09:00 does not exist on 2011-12-30 in Test/Change; it does not run");
}

TEST(LintClockChange, a_star_with_a_fixed_hour_in_the_transition_is_told) {
  const Finding gap = finding_of(cron_spec("*/30 2 * * *"), "wildcard-in-transition", new_york());
  const Finding overlap = finding_of(cron_spec("*/30 1 * * *"), "wildcard-in-transition", new_york());

  EXPECT_EQ(gap.message,
            "follows the clock because a field begins with *: 02:00 and 02:30 are skipped on 2027-03-14 in "
            "America/New_York, so that nothing runs for them when the clock jumps to 03:00 EDT (07:00Z)");
  EXPECT_EQ(gap.at, at("2027-03-14T07:00:00Z"));
  EXPECT_EQ(overlap.message,
            "follows the clock because a field begins with *: 01:00 and 01:30 are shown twice on 2027-11-07 in "
            "America/New_York, so that they run twice, from 01:00 EDT (05:00Z) and again from 01:00 EST (06:00Z)");
  EXPECT_EQ(overlap.at, at("2027-11-07T05:00:00Z"));
}

TEST(LintClockChange, looks_two_years_ahead) {
  EXPECT_EQ(finding_of(cron_spec("30 2 12 3 *"), "dst-gap", new_york()).at, at("2028-03-12T07:00:00Z"));
}

TEST(LintClockChange, is_silent_where_no_clock_change_matters) {
  const auto codes_in_new_york = [](const Spec& spec) { return codes(lint(spec, new_york(), november)); };
  Spec ended = cron_spec("30 2 * * *");
  ended.end_at = at("2027-03-01T00:00:00Z");
  Spec excluding = cron_spec("30 2 * * *");
  Calendar sundays = Calendar::any();
  sundays.day_of_week = "SUN";
  excluding.exclude = {sundays};

  EXPECT_THAT(codes_in_new_york(cron_spec("0 9 * * *")), IsEmpty());
  EXPECT_THAT(codes_in_new_york(cron_spec("30 2 * * 1-5")), IsEmpty()) << "clocks change on a Sunday";
  EXPECT_THAT(codes_in_new_york(cron_spec("*/30 * * * *")), IsEmpty()) << "follows the clock as meant";
  EXPECT_THAT(codes_in_new_york(cron_spec("*/15 0-5 * * *")), IsEmpty()) << "a window follows the clock";
  EXPECT_THAT(codes_in_new_york(cron_spec("30 */2 * * *")), IsEmpty());
  EXPECT_THAT(codes_in_new_york(cron_spec("30 2 10 3 *")), IsEmpty()) << "no clock change on 10 March in two years";
  EXPECT_THAT(codes_in_new_york(ended), IsEmpty());
  EXPECT_THAT(codes_in_new_york(excluding), IsEmpty());
  EXPECT_THAT(codes(lint(cron_spec("30 2 * * *"), Zone::utc(), november)), IsEmpty());
}

TEST(LintClockChange, an_overlap_whose_first_pass_is_over_is_past) {
  const Instant in_second_pass = at("2026-11-01T06:10:00Z");

  EXPECT_EQ(finding_of(cron_spec("30 1 * * *"), "dst-overlap", new_york(), in_second_pass).at,
            at("2027-11-07T05:30:00Z"));
}

TEST(LintCalendar, points_into_the_document) {
  Calendar late;
  late.hour = "2";
  late.minute = "30";
  late.day_of_month = "31";
  Spec spec;
  spec.calendars = {Calendar{}, late};

  EXPECT_EQ(finding_of(spec, "short-month").pointer, "/calendars/1/dayOfMonth");
  late.day_of_month = "*";
  spec.calendars[1] = late;
  EXPECT_EQ(finding_of(spec, "dst-gap", new_york()).pointer, "/calendars/1/hour");
}

TEST(LintCalendar, both_day_fields_are_no_finding_because_a_calendar_takes_both) {
  Calendar friday_13;
  friday_13.day_of_month = "13";
  friday_13.day_of_week = "FRI";

  EXPECT_THAT(lint(calendar_spec(friday_13), Zone::utc(), november), IsEmpty());
}

TEST(LintCalendar, ranges_are_looked_at_like_texts) {
  Calendar odd;
  odd.day_of_month = std::vector<CalendarRange>{{1, 31, 2}};
  Calendar last;
  last.day_of_month = std::vector<CalendarRange>{{31, 31, 1}};
  Calendar leap_day;
  leap_day.day_of_month = "29";
  leap_day.month = "2";
  leap_day.year = "2028";

  EXPECT_THAT(lint(calendar_spec(odd), Zone::utc(), november), IsEmpty());
  EXPECT_THAT(codes(lint(calendar_spec(last), Zone::utc(), november)), ElementsAre("short-month"));
  EXPECT_THAT(lint(calendar_spec(leap_day), Zone::utc(), november), IsEmpty());
}

TEST(LintCalendar, a_star_in_the_minutes_of_one_hour_is_told) {
  Calendar calendar;
  calendar.minute = "*";
  calendar.hour = "9";

  const Finding finding = finding_of(calendar_spec(calendar), "minute-star-hour");

  EXPECT_EQ(finding.pointer, "/calendars/0/minute");
  EXPECT_EQ(finding.fix, "write \"0\" to run at minute 0 only");
}

TEST(LintNeverFires, a_spec_with_nothing_ahead_is_an_error) {
  Spec past;
  past.times = {at("2026-01-31T09:00:00Z")};
  Spec ended = cron_spec("0 9 * * *");
  ended.end_at = at("2026-11-01T00:00:00Z");
  Spec excluded = cron_spec("0 9 * * *");
  excluded.exclude = {Calendar::any()};
  Spec narrow = cron_spec("0 9 1 1 *");
  narrow.end_at = at("2026-12-01T00:00:00Z");
  Calendar last_year;
  last_year.year = "2025";

  const auto message = [](const Spec& spec) { return finding_of(spec, "never-fires").message; };
  EXPECT_EQ(message(past), "nothing runs from 2026-11-15T12:00:00Z on: all its times are past");
  EXPECT_EQ(message(ended), "nothing runs from 2026-11-15T12:00:00Z on: endAt 2026-11-01T00:00:00Z lies in the past");
  EXPECT_EQ(message(excluded), "nothing runs from 2026-11-15T12:00:00Z on: the exclusions leave nothing");
  EXPECT_EQ(message(narrow),
            "nothing runs from 2026-11-15T12:00:00Z on: nothing falls before endAt 2026-12-01T00:00:00Z");
  EXPECT_EQ(message(calendar_spec(last_year)), "nothing runs from 2026-11-15T12:00:00Z on: all its times are past");
  EXPECT_EQ(finding_of(past, "never-fires").severity, Severity::error);
}

TEST(LintNeverFires, is_silent_while_something_is_ahead_or_nothing_was_asked) {
  Spec now_only;
  now_only.times = {november};
  Spec interval;
  interval.intervals = {{.every = 1h}};

  EXPECT_THAT(lint(Spec{}, Zone::utc(), november), IsEmpty());
  EXPECT_THAT(lint(now_only, Zone::utc(), november), IsEmpty());
  EXPECT_THAT(lint(interval, Zone::utc(), november), IsEmpty());
}

TEST(LintSpec, findings_stand_in_the_order_of_the_spec) {
  Spec spec;
  spec.crons = {"0 9 * * *", "*/7 * * * *", "not a cron", "0 9 1 * MON"};

  const auto findings = lint(spec, Zone::utc(), november);

  ASSERT_THAT(codes(findings), ElementsAre("uneven-step", "dom-dow-or"));
  EXPECT_EQ(findings[0].pointer, "/cron/1");
  EXPECT_EQ(findings[1].pointer, "/cron/3");
}

TEST(LintSpec, every_finding_says_what_to_write) {
  for (const char* cron : {"* 9 * * *", "0 9 1 * MON", "*/7 * * * *", "*/60 * * * *", "0 0 31 * *", "30 2 * * *",
                           "30 1 * * *", "*/30 2 * * *", "* * * * * *", "5/15 * * * *", "0 0 12 ? * 2", "0 0 LW * *"}) {
    const auto findings = lint(cron_spec(cron), new_york(), november);

    EXPECT_FALSE(findings.empty()) << cron;
    for (const Finding& finding : findings) EXPECT_FALSE(finding.fix.empty()) << cron << ' ' << finding.code;
  }
}

}  // namespace
}  // namespace carillon
