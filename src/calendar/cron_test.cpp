#include "calendar/cron.hpp"

#include <gtest/gtest.h>

#include <string>

namespace carillon {
namespace {

std::uint64_t bits(std::initializer_list<int> values) {
  std::uint64_t mask = 0;
  for (const int value : values) mask |= std::uint64_t{1} << value;
  return mask;
}

Cron cron(std::string_view text) {
  auto parsed = parse_cron(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  return parsed.value_or(Cron{});
}

TEST(Cron, minutes_take_numbers_ranges_steps_and_lists) {
  EXPECT_EQ(cron("5 * * * *").rule.minutes, bits({5}));
  EXPECT_EQ(cron("5-8 * * * *").rule.minutes, bits({5, 6, 7, 8}));
  EXPECT_EQ(cron("5-15/5 * * * *").rule.minutes, bits({5, 10, 15}));
  EXPECT_EQ(cron("*/20 * * * *").rule.minutes, bits({0, 20, 40}));
  EXPECT_EQ(cron("5/20 * * * *").rule.minutes, bits({5, 25, 45}));
  EXPECT_EQ(cron("1,2,50-51 * * * *").rule.minutes, bits({1, 2, 50, 51}));
  EXPECT_EQ(cron("*/60 * * * *").rule.minutes, bits({0}));
  EXPECT_EQ(cron("*/9999 * * * *").rule.minutes, bits({0}));
  EXPECT_EQ(cron("007 * * * *").rule.minutes, bits({7}));
  EXPECT_EQ(cron("0-59 * * * *").rule.minutes, (std::uint64_t{1} << 60) - 1);
}

TEST(Cron, a_sixth_field_in_front_is_seconds) {
  EXPECT_EQ(cron("*/30 1 2 3 4 5").rule.seconds, bits({0, 30}));
  EXPECT_EQ(cron("*/30 1 2 3 4 5").rule.minutes, bits({1}));
  EXPECT_EQ(cron("1 2 3 4 5").rule.seconds, bits({0}));
  EXPECT_TRUE(cron("0 1 2 3 4 5").has_seconds);
}

TEST(Cron, names_stand_for_numbers_in_any_case_and_in_ranges) {
  EXPECT_EQ(cron("0 0 * jan,FEB-Apr *").rule.months, bits({1, 2, 3, 4}));
  EXPECT_EQ(cron("0 0 * 1-mar *").rule.months, bits({1, 2, 3}));
  EXPECT_EQ(cron("0 0 * * mon-FRI").rule.day.weekdays, bits({1, 2, 3, 4, 5}));
  EXPECT_EQ(cron("0 0 * * SUN").rule.day.weekdays, bits({0}));
}

TEST(Cron, seven_is_sunday_and_a_range_may_end_there) {
  EXPECT_EQ(cron("0 0 * * 7").rule.day.weekdays, bits({0}));
  EXPECT_EQ(cron("0 0 * * 0-7").rule.day.weekdays, bits({0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(cron("0 0 * * 5-7").rule.day.weekdays, bits({0, 5, 6}));
  EXPECT_EQ(cron("0 0 * * FRI-SUN").rule.day.weekdays, bits({0, 5, 6}));
  EXPECT_EQ(cron("0 0 * * 6-0").rule.day.weekdays, bits({0, 6}));
  EXPECT_EQ(cron("0 0 * * 1-7/2").rule.day.weekdays, bits({0, 1, 3, 5}));
  EXPECT_EQ(cron("0 0 * * 3-7/3").rule.day.weekdays, bits({3, 6}));
  EXPECT_EQ(cron("0 0 * * 5/1").rule.day.weekdays, bits({5, 6}));
  EXPECT_EQ(cron("0 0 * * SUN-SUN").rule.day.weekdays, bits({0}));
  EXPECT_EQ(cron("0 0 * * 7-7").rule.day.weekdays, bits({0}));
  EXPECT_EQ(cron("0 0 * * 7-7/2").rule.day.weekdays, bits({0}));
  EXPECT_EQ(cron("0 0 * * 3,7-7").rule.day.weekdays, bits({0, 3}));
}

TEST(Cron, day_extensions_may_stand_in_lists) {
  const DayRule day = cron("0 0 1,L,L-2,15W,LW * 1,5L,MON#2,3#L,FRIL").rule.day;

  EXPECT_EQ(day.days, bits({1}));
  EXPECT_EQ(day.days_before_last, bits({0, 2}));
  EXPECT_EQ(day.nearest_weekdays, bits({15}));
  EXPECT_TRUE(day.last_weekday);
  EXPECT_EQ(day.weekdays, bits({1}));
  EXPECT_EQ(day.last_weekdays, bits({3, 5}));
  EXPECT_EQ(day.nth_weekdays, bits({7 + 1}));
}

TEST(Cron, only_a_bare_star_question_mark_or_step_one_leaves_days_unrestricted) {
  EXPECT_TRUE(cron("0 0 * * *").rule.day.is_every_day());
  EXPECT_TRUE(cron("0 0 ? * ?").rule.day.is_every_day());
  EXPECT_TRUE(cron("0 0 */1 * */1").rule.day.is_every_day());
  EXPECT_FALSE(cron("0 0 */2 * *").rule.day.any_day_of_month);
  EXPECT_FALSE(cron("0 0 1-31 * *").rule.day.any_day_of_month);
  EXPECT_FALSE(cron("0 0 * * 0-6").rule.day.any_day_of_week);
}

TEST(Cron, aliases_in_any_case_mean_their_expression) {
  const std::pair<std::string_view, std::string_view> aliases[] = {
      {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},  {"@Weekly", "0 0 * * 0"},
      {"@daily", "0 0 * * *"},  {"@MIDNIGHT", "0 0 * * *"}, {" @hourly ", "0 * * * *"},
  };

  for (const auto& [alias, expression] : aliases) {
    EXPECT_EQ(cron(alias).rule, cron(expression).rule) << alias;
    EXPECT_EQ(cron(alias).text, alias);
    EXPECT_TRUE(cron(alias).is_alias);
  }
}

TEST(Cron, blanks_around_and_between_fields_do_not_matter) {
  EXPECT_EQ(cron(" \t0  9\t* * 1-5  ").rule, cron("0 9 * * 1-5").rule);
  EXPECT_EQ(cron("  0 9 * * 1-5 ").text, "  0 9 * * 1-5 ");
}

TEST(Cron, a_leading_star_in_seconds_minutes_or_hours_follows_the_clock) {
  EXPECT_TRUE(cron("*/15 2 * * *").is_wildcard());
  EXPECT_TRUE(cron("0 */2 * * *").is_wildcard());
  EXPECT_TRUE(cron("*,5 2 * * *").is_wildcard());
  EXPECT_TRUE(cron("* 0 2 * * *").is_wildcard());
  EXPECT_TRUE(cron("@hourly").is_wildcard());
  EXPECT_FALSE(cron("30 2 * * *").is_wildcard());
  EXPECT_FALSE(cron("5,* 2 * * *").is_wildcard());
  EXPECT_FALSE(cron("0-59 0-23 * * *").is_wildcard());
  EXPECT_FALSE(cron("0/15 2 * * *").is_wildcard());
}

TEST(Cron, the_shape_tells_how_fields_were_written) {
  const Cron quartz = cron("0 0/5 9 ? * 2-6");

  EXPECT_TRUE(quartz.field(CronField::minute).has_open_step);
  EXPECT_TRUE(quartz.field(CronField::day_of_month).is_question_mark);
  EXPECT_EQ(cron("*/7 * * * *").field(CronField::minute).star_step, 7);
  EXPECT_TRUE(cron("0 0 * * 7").field(CronField::day_of_week).has_seven);
  EXPECT_TRUE(cron("0 0 * * FRI-SUN").field(CronField::day_of_week).has_wrapping_range);
}

struct Refusal {
  std::string_view text;
  std::size_t position;
  std::string_view message;  // a part of it
  std::string_view hint;     // a part of it
};

TEST(Cron, refuses_with_field_token_position_and_hint) {
  const Refusal refusals[] = {
      {"", 0, "empty", "five fields"},
      {"   ", 0, "empty", "five fields"},
      {"*", 1, "has 1 field", "minute, hour"},
      {"* * * *", 7, "has 4 fields", "minute, hour"},
      {"0 0 0 1 1 ? 2027", 11, "has 7 fields", "year"},
      {"60 * * * *", 0, "\"60\" in the minute field (column 1) is above", "0 to 59"},
      {"* 24 * * *", 2, "hour field (column 3)", "0 to 23"},
      {"* * 0 * *", 4, "day of month field (column 5) is below", "1 to 31"},
      {"* * 32 * *", 4, "above", "1 to 31"},
      {"* * * 13 *", 6, "month field", "1 to 12"},
      {"* * * * 8", 8, "day of week field", "7 is Sunday"},
      {"4294967301 * * * *", 0, "more than four digits", "0 to 59"},
      {"00005 * * * *", 0, "more than four digits", "0 to 59"},
      {"1,,2 * * * *", 2, "empty item", "comma"},
      {",1 * * * *", 0, "empty item", "comma"},
      {"1, * * * *", 2, "empty item", "comma"},
      {"*/0 * * * *", 2, "step of zero", "at least 1"},
      {"*/ * * * *", 2, "no step", "number"},
      {"*/-5 * * * *", 2, "no step", "number"},
      {"*/5/2 * * * *", 3, "after the step", "a-b/n"},
      {"*5 * * * *", 1, "after the star", "*/n"},
      {"1-10/99999 * * * *", 5, "four digits", "smaller"},
      {"-5 * * * *", 0, "sign", "number alone"},
      {"+5 * * * *", 0, "sign", "number alone"},
      {"/5 * * * *", 0, "step without a start", "*/5"},
      {"1.5 * * * *", 1, "after the value", "commas"},
      {"0x5 * * * *", 1, "after the value", "commas"},
      {"5- * * * *", 2, "no end", "a-b"},
      {"5-3 * * * *", 0, "backwards", "5-59,0-3"},
      {"* 22-2 * * *", 2, "backwards", "22-23,0-2"},
      {"* 23-2 * * *", 2, "backwards", "23,0-2"},
      {"* * * NOV-FEB *", 6, "backwards", "11-12,1-2"},
      {"* * * * 5-1", 8, "backwards", "5-6,0-1"},
      {"* * * * 7-2", 8, "starts at 7", "0-2"},
      {"* * * * 7-0", 8, "starts at 7", "0-0"},
      {"* * * * 7-SUN", 8, "starts at 7", "0-0"},
      {"* * * * 7-6/2", 8, "starts at 7", "0-6"},
      {"* * * * 7/2", 8, "starts at 7", "0/2"},
      {"? * * * *", 0, "only for the two day fields", "*"},
      {"* * * ? *", 6, "only for the two day fields", "*"},
      {"* * * * L", 8, "needs a weekday", "5L"},
      {"L * * * *", 0, "only for the day fields", "number"},
      {"* * 5L * *", 5, "day of week", "5L"},
      {"* * 5#2 * *", 5, "day of week", "MON#2"},
      {"* * * * 5W", 9, "day of month", "third-last"},
      {"* * W * *", 4, "needs a day before W", "15W"},
      {"* * 15W-20 * *", 7, "after W", "15W"},
      {"* * L-0 * *", 6, "out of the month", "1 to 30"},
      {"* * L-31 * *", 6, "out of the month", "1 to 30"},
      {"* * LX * *", 4, "not a number", "1 to 31"},
      {"* * L5 * *", 5, "last-day rule", "L-n"},
      {"* * * * 5#6", 10, "which one", "#1 to #5"},
      {"* * * * 5#0", 10, "which one", "#1 to #5"},
      {"* * * * 5#", 10, "which one", "#1 to #5"},
      {"* * * JANUARY *", 9, "after the value", "commas"},
      {"* * * FOO *", 6, "not a month", "JAN"},
      {"* * * * FOO", 8, "not a weekday", "SUN"},
      {"H * * * *", 0, "random", "jitter"},
      {"1~5 * * * *", 1, "random", "jitter"},
      {"MON * * * *", 0, "not a number", "0 to 59"},
      {"@every 5m", 0, "interval", "every: 5m"},
      {"@reboot", 0, "@reboot", "durable"},
      {"@fortnightly", 0, "not an alias", "@weekly"},
      {"@daily @daily", 0, "follows the alias", "alone"},
      {"TZ=UTC 0 9 * * *", 0, "is not allowed in the expression", "timezone"},
      {"CRON_TZ=UTC 0 9 * * *", 0, "is not allowed in the expression", "timezone"},
      {"\xd9\xa3 * * * *", 0, "cannot be read", "0 to 59"},
      {"0 0 31 2 *", 4, "31 February never occurs", "L for the last day"},
      {"0 0 30 2 *", 4, "30 February never occurs", "L for the last day"},
      {"0 0 31 4,6,9,11 *", 4, "31 April never occurs, nor in the other months", "L for the last day"},
      {"0 0 L-29 2 *", 4, "never matches in February", "L for the last day"},
  };

  for (const Refusal& refusal : refusals) {
    const auto parsed = parse_cron(refusal.text);
    ASSERT_FALSE(parsed) << refusal.text;
    EXPECT_EQ(parsed.error().position, refusal.position) << refusal.text;
    EXPECT_NE(parsed.error().message.find(refusal.message), std::string::npos)
        << refusal.text << " → " << parsed.error().message;
    EXPECT_NE((parsed.error().hint + parsed.error().message).find(refusal.hint), std::string::npos)
        << refusal.text << " → " << parsed.error().hint;
    EXPECT_FALSE(parsed.error().hint.empty()) << refusal.text;
  }
}

TEST(Cron, a_date_that_never_comes_is_fine_beside_a_weekday) { EXPECT_TRUE(parse_cron("0 0 31 2 1")); }

TEST(Cron, the_rule_of_an_error_tells_never_firing_from_unreadable) {
  EXPECT_EQ(parse_cron("0 0 30 2 *").error().rule, "never-fires");
  EXPECT_EQ(parse_cron("61 * * * *").error().rule, "invalid-cron");
}

TEST(Cron, a_text_of_any_length_is_answered) {
  const std::string long_list(2'000'000, '1');
  const std::string many_items = [] {
    std::string text = "0";
    for (int i = 0; i < 10'000; ++i) text += ",1";
    return text + " * * * *";
  }();

  EXPECT_FALSE(parse_cron(long_list));
  EXPECT_FALSE(parse_cron(many_items));
}

}  // namespace
}  // namespace carillon
