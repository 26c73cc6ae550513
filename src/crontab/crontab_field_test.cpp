#include "crontab/crontab_field.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace carillon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum CrontabField;

std::vector<int> values_of(CrontabField field, std::string_view text) {
  const auto read = parse_crontab_field(field, text, "seed");
  EXPECT_TRUE(read.has_value()) << text << ": " << read.error().message;
  std::vector<int> values;
  for (int value = 0; read && value < 64; ++value)
    if ((read->values >> value & 1) != 0) values.push_back(value);
  return values;
}

std::string text_of(CrontabField field, std::string_view text) {
  return parse_crontab_field(field, text, "seed").value().text;
}

std::string refusal_of(CrontabField field, std::string_view text) {
  const auto read = parse_crontab_field(field, text, "seed");
  return read ? "accepted" : read.error().message + "; " + read.error().hint;
}

TEST(CrontabField, values_ranges_steps_and_lists_are_read) {
  EXPECT_THAT(values_of(minute, "5"), ElementsAre(5));
  EXPECT_THAT(values_of(minute, "00005"), ElementsAre(5));
  EXPECT_THAT(values_of(minute, "1-4,50-59/3"), ElementsAre(1, 2, 3, 4, 50, 53, 56, 59));
  EXPECT_THAT(values_of(hour, "*/7"), ElementsAre(0, 7, 14, 21));
  EXPECT_THAT(values_of(day_of_month, "*/10"), ElementsAre(1, 11, 21, 31));
  EXPECT_THAT(values_of(hour, "*/1000000"), ElementsAre(0));
}

TEST(CrontabField, names_stand_for_months_and_weekdays_in_any_case_and_in_ranges) {
  EXPECT_THAT(values_of(month, "jan,Mar-MAY"), ElementsAre(1, 3, 4, 5));
  EXPECT_THAT(values_of(day_of_week, "mon-FRI"), ElementsAre(1, 2, 3, 4, 5));
}

TEST(CrontabField, a_week_may_end_in_sunday_by_any_of_its_names) {
  EXPECT_THAT(values_of(day_of_week, "7"), ElementsAre(7));
  EXPECT_THAT(values_of(day_of_week, "5-7"), ElementsAre(5, 6, 7));
  EXPECT_THAT(values_of(day_of_week, "fri-sun"), ElementsAre(5, 6, 7));
  EXPECT_THAT(values_of(day_of_week, "*/7"), ElementsAre(0, 7));
}

TEST(CrontabField, only_the_first_character_makes_a_star) {
  for (const std::string_view text : {"*", "*/2", "*,5"}) {
    EXPECT_TRUE(parse_crontab_field(minute, text, "").value().has_star) << text;
  }
  for (const std::string_view text : {"5,*", "0-59", "5"}) {
    EXPECT_FALSE(parse_crontab_field(minute, text, "").value().has_star) << text;
  }
}

TEST(CrontabField, the_text_stays_as_written_unless_carillon_would_not_read_it) {
  EXPECT_EQ(text_of(day_of_week, "MON-fri"), "MON-fri");
  EXPECT_EQ(text_of(minute, "05,*/20"), "05,*/20");
  EXPECT_EQ(text_of(day_of_week, "7-7"), "0");
  EXPECT_EQ(text_of(minute, "*/100000,00005-00010"), "*/100,5-10");
}

TEST(CrontabField, a_random_value_lies_in_its_range_and_stays_the_same) {
  for (const std::string_view seed : {"a", "b", "c", "0 4 * * * backup", "x y z"}) {
    const auto first = parse_crontab_field(minute, "10~14", seed).value();
    EXPECT_TRUE(first.has_random_value);
    EXPECT_NE(first.values & 0b11111ULL << 10, 0U);
    EXPECT_EQ(first.values & ~(0b11111ULL << 10), 0U);
    EXPECT_EQ(first.text, parse_crontab_field(minute, "10~14", seed).value().text);
  }
  EXPECT_NE(text_of(minute, "~"), parse_crontab_field(minute, "~", "another seed").value().text);
  EXPECT_EQ(values_of(hour, "22~").size(), 1U);
  EXPECT_EQ(values_of(hour, "~3").size(), 1U);
}

TEST(CrontabField, what_cron_refuses_is_refused_with_what_to_write) {
  EXPECT_THAT(refusal_of(minute, "60"), HasSubstr("\"60\" in the minute field is out of range; write 0 to 59"));
  EXPECT_THAT(refusal_of(minute, "5/15"), HasSubstr("write 5-59/15"));
  EXPECT_THAT(refusal_of(hour, "22-2"), HasSubstr("runs backwards: cron never starts by it; write 22-23,0-2"));
  EXPECT_THAT(refusal_of(minute, "*/0"), HasSubstr("a step of at least 1"));
  EXPECT_THAT(refusal_of(minute, "1,,2"), HasSubstr("remove the extra comma"));
  for (const std::string_view text : {"?", "L", "15W", "5#2", "1.5", "-5", "+5", "1-", "*5", "*-5", "1-5/", "1/", "a",
                                      "jan", "4294967301", "1~5/2", "٣", "0x5", ""}) {
    EXPECT_NE(refusal_of(minute, text), "accepted") << text;
  }
  EXPECT_NE(refusal_of(day_of_week, "8"), "accepted");
  EXPECT_NE(refusal_of(day_of_month, "0"), "accepted");
  EXPECT_NE(refusal_of(month, "janu"), "accepted");
}

}  // namespace
}  // namespace carillon
