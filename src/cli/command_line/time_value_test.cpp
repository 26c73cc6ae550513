#include "cli/command_line/time_value.hpp"

#include "support/fixed_zone_source.hpp"
#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;

const Instant now = carillon::testing::at("2026-10-29T14:22:05Z");

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
      {"today", "2026-10-29T04:00:00Z"},
      {"tomorrow 09:15", "2026-10-30T13:15:00Z"},
      {"yesterday 23:59:59", "2026-10-29T03:59:59Z"},
      {"2026-10-30T09:15:30", "2026-10-30T13:15:30Z"},
      {"2027-03-14 02:30", "2027-03-14T07:00:00Z"},  // skipped: the end of the gap
      {"2026-11-01 01:30", "2026-11-01T05:30:00Z"},  // repeated: the first pass
  };
  const ZonePtr zone = FixedZoneSource{}.zone("America/New_York").value();
  for (const Case& c : cases)
    EXPECT_EQ(time_value("--after", c.text, *zone, TimeSide::either, now).value(), carillon::testing::at(c.expected))
        << c.text;
}

TEST(TimeValue, refuses_anything_else_with_advice) {
  for (const std::string_view text :
       {"", "tomorow", "tomorrow 9", "today09:00", "2026-02-30", "2026-10-30 24:00", "2026-10-30 9:15", "2026-1-1",
        "1899-12-31", "2200-01-01", "2026-10-30T09:15:30 ", "-026-10-30", "20261030"}) {
    const auto time = time_value("--after", text, *Zone::utc(), TimeSide::either, now);

    ASSERT_FALSE(time.has_value()) << text;
    EXPECT_THAT(time.error().message, HasSubstr("--after")) << text;
    EXPECT_FALSE(time.error().hint.empty()) << text;
  }
}

TEST(TimeValue, of_a_length_or_a_clock_is_on_the_side_of_now_that_the_flag_means) {
  struct Case {
    std::string_view text;
    TimeSide side;
    std::string_view expected;
  };
  const Case cases[] = {
      {"now", TimeSide::past, "2026-10-29T14:22:05Z"},
      {"now", TimeSide::future, "2026-10-29T14:22:05Z"},
      {"24h", TimeSide::past, "2026-10-28T14:22:05Z"},
      {"24h", TimeSide::either, "2026-10-28T14:22:05Z"},
      {"2h", TimeSide::future, "2026-10-29T16:22:05Z"},
      {"+5m", TimeSide::past, "2026-10-29T14:27:05Z"},
      {"-5m", TimeSide::future, "2026-10-29T14:17:05Z"},
      {"09:00", TimeSide::past, "2026-10-29T13:00:00Z"},
      {"23:00", TimeSide::past, "2026-10-29T03:00:00Z"},    // yesterday's
      {"09:00", TimeSide::future, "2026-10-30T13:00:00Z"},  // tomorrow's
      {"23:00:15", TimeSide::future, "2026-10-30T03:00:15Z"},
      {"23:00", TimeSide::either, "2026-10-30T03:00:00Z"},  // today's
      {"2026-10-01", TimeSide::past, "2026-10-01T04:00:00Z"},
  };
  const ZonePtr zone = FixedZoneSource{}.zone("America/New_York").value();
  for (const Case& c : cases)
    EXPECT_EQ(time_value("--since", c.text, *zone, c.side, now).value(), carillon::testing::at(c.expected)) << c.text;
}

TEST(TimeValue, depends_on_a_zone_unless_it_names_one_or_counts_from_now) {
  for (const std::string_view text : {"02:43", "2026-10-27", "2026-10-27 02:30"}) EXPECT_TRUE(depends_on_zone(text));
  for (const std::string_view text : {"now", "2h", "+5m", "2026-10-27T02:30:00Z", "nonsense"})
    EXPECT_FALSE(depends_on_zone(text)) << text;
}

}  // namespace
}  // namespace carillon::cli
