#include "cli/command_line/argument_values.hpp"

#include "support/fixed_zone_source.hpp"
#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace carillon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TimeValue, is_rfc3339_or_the_clock_of_the_zone) {
  struct Case {
    std::string_view text;
    std::string_view expected;
  };
  const Case cases[] = {
      {"2026-10-30T05:30:00Z", "2026-10-30T05:30:00Z"},
      {"2026-10-30T05:30:00+02:00", "2026-10-30T03:30:00Z"},
      {"2026-10-30", "2026-10-30T04:00:00Z"},
      {"2026-10-30 09:15", "2026-10-30T13:15:00Z"},
      {"2026-10-30T09:15:30", "2026-10-30T13:15:30Z"},
      {"2027-03-14 02:30", "2027-03-14T07:00:00Z"},  // skipped: the end of the gap
      {"2026-11-01 01:30", "2026-11-01T05:30:00Z"},  // repeated: the first pass
  };
  const ZonePtr zone = FixedZoneSource{}.zone("America/New_York").value();
  for (const Case& c : cases)
    EXPECT_EQ(time_value("--after", c.text, *zone).value(), carillon::testing::at(c.expected)) << c.text;
}

TEST(TimeValue, refuses_anything_else_with_advice) {
  for (const std::string_view text : {"", "tomorrow", "2026-02-30", "2026-10-30 24:00", "2026-10-30 9:15", "2026-1-1",
                                      "1899-12-31", "2200-01-01", "2026-10-30T09:15:30 ", "-026-10-30", "20261030"}) {
    const auto time = time_value("--after", text, *Zone::utc());

    ASSERT_FALSE(time.has_value()) << text;
    EXPECT_THAT(time.error().message, HasSubstr("--after")) << text;
    EXPECT_FALSE(time.error().hint.empty()) << text;
  }
}

TEST(CountValue, is_a_whole_number_within_its_limit) {
  EXPECT_EQ(count_value("-n", "1", 10).value(), 1U);
  EXPECT_EQ(count_value("-n", "10", 10).value(), 10U);
  for (const std::string_view text : {"", "0", "11", "-1", "+1", "1.5", "1e1", "ten", " 1", "99999999999999999999"}) {
    EXPECT_FALSE(count_value("-n", text, 10).has_value()) << text;
  }
}

TEST(FieldNames, are_those_the_answer_has) {
  constexpr std::array<std::string_view, 3> known{"nominal", "local", "note"};

  EXPECT_THAT(field_names("note,local", known).value(), ElementsAre("note", "local"));
  EXPECT_THAT(field_names("locale", known).error().hint, HasSubstr("did you mean local?"));
  EXPECT_FALSE(field_names("", known).has_value());
  EXPECT_FALSE(field_names("note,", known).has_value());
}

TEST(OutputFormat, is_table_unless_told_otherwise) {
  constexpr std::array known{Format::table, Format::json};

  EXPECT_EQ(output_format({}, known).value(), Format::table);
  EXPECT_EQ(output_format("text", known).value(), Format::table);
  EXPECT_EQ(output_format("json", known).value(), Format::json);
  EXPECT_THAT(output_format("jsn", known).error().hint, HasSubstr("did you mean json?"));
  EXPECT_FALSE(output_format("csv", known).has_value());
}

TEST(SinceValue, takes_a_length_of_time_a_clock_of_today_or_a_time) {
  const Instant now = carillon::testing::at("2026-10-29T14:22:05Z");

  EXPECT_EQ(since_value("--since", "now", *Zone::utc(), now).value(), now);
  EXPECT_EQ(since_value("--since", "24h", *Zone::utc(), now).value(), carillon::testing::at("2026-10-28T14:22:05Z"));
  EXPECT_EQ(since_value("--since", "09:00", *Zone::utc(), now).value(), carillon::testing::at("2026-10-29T09:00:00Z"));
  EXPECT_EQ(since_value("--since", "09:00:15", *Zone::utc(), now).value(),
            carillon::testing::at("2026-10-29T09:00:15Z"));
  EXPECT_EQ(since_value("--since", "2026-10-01", *Zone::utc(), now).value(),
            carillon::testing::at("2026-10-01T00:00:00Z"));
  for (const char* text : {"25:00", "9:00", "yesterday", ""})
    EXPECT_FALSE(since_value("--since", text, *Zone::utc(), now)) << text;
}

}  // namespace
}  // namespace carillon::cli
