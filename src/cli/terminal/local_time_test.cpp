#include "cli/terminal/local_time.hpp"

#include "support/fixed_zone_source.hpp"
#include "support/test_zones.hpp"

#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using carillon::testing::at;
using std::chrono::seconds;

TEST(LocalTime, shows_date_and_clock_of_the_zone) {
  const ZonePtr zone = FixedZoneSource{}.zone("America/New_York").value();

  const WallTime wall = wall_time(at("2026-11-01T05:30:15Z"), *zone);

  EXPECT_EQ(date_text(wall), "Sun  1 Nov");
  EXPECT_EQ(clock_text(wall), "01:30:15");
}

TEST(LocalTime, leaves_out_seconds_that_are_zero) {
  EXPECT_EQ(clock_text(wall_time(at("1969-12-31T23:59:00Z"), *Zone::utc())), "23:59");
}

TEST(LocalTime, is_rfc3339_with_the_offset_of_the_moment) {
  FixedZoneSource zones;
  const ZonePtr new_york = zones.zone("America/New_York").value();
  const ZonePtr lord_howe = zones.zone("Australia/Lord_Howe").value();

  EXPECT_EQ(local_text(at("2026-10-30T05:30:00Z"), *new_york), "2026-10-30T01:30:00-04:00");
  EXPECT_EQ(local_text(at("2026-11-02T05:30:00.5Z"), *new_york), "2026-11-02T00:30:00.5-05:00");
  EXPECT_EQ(local_text(at("2027-05-01T00:00:00Z"), *lord_howe), "2027-05-01T10:30:00+10:30");
  EXPECT_EQ(local_text(at("2027-05-01T00:00:00Z"), *Zone::utc()), "2027-05-01T00:00:00+00:00");
}

TEST(LocalTime, stays_the_same_instant_where_the_offset_has_seconds) {
  const ZonePtr zone = carillon::testing::zone_with_change("2000-01-01T00:00:00Z", -(4 * 3600 + 56 * 60 + 2), 0);
  const Instant instant = at("1999-06-01T12:00:00Z");

  EXPECT_EQ(parse_instant(local_text(instant, *zone)).value(), instant);
}

TEST(RelativeTime, has_two_units_that_fit_the_distance) {
  struct Case {
    std::int64_t distance;
    std::string_view expected;
  };
  const Case cases[] = {{0, "now"},
                        {1, "in 1s"},
                        {59, "in 59s"},
                        {60, "in 1m00s"},
                        {3599, "in 59m59s"},
                        {3600, "in 1h00m"},
                        {15 * 3600 + 7 * 60 + 55, "in 15h07m"},
                        {39 * 3600 + 60, "in 1d15h"},
                        {99 * 86400, "in 99d0h"},
                        {100 * 86400, "in 100d"},
                        {1240 * 86400, "in 3.4 years"},
                        {-90, "1m30s ago"}};
  const Instant now = at("2026-10-29T14:22:05Z");
  for (const Case& c : cases) EXPECT_EQ(relative_text(now + seconds{c.distance}, now), c.expected);
}

}  // namespace
}  // namespace carillon::cli
