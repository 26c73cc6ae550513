#include "calendar/zone.hpp"

#include "support/test_zones.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

using testing::new_york;
using testing::second_at;
using testing::zone_with_change;

TEST(Zone, an_instant_lies_in_the_period_that_began_last) {
  const ZonePtr zone = new_york();
  const UtcSecond spring = second_at("2027-03-14T07:00:00Z");

  EXPECT_EQ(zone->offset_at(spring - 1), -5 * 3600);
  EXPECT_EQ(zone->offset_at(spring), -4 * 3600);
  EXPECT_EQ(zone->abbreviation_at(spring - 1), "EST");
  EXPECT_EQ(zone->abbreviation_at(spring), "EDT");
}

TEST(Zone, every_instant_finds_its_period_from_1900_to_2200) {
  const ZonePtr zone = new_york();

  for (UtcSecond t = second_at("1900-01-01T00:00:00Z"); t < second_at("2199-12-31T00:00:00Z"); t += 250'007) {
    const Zone::Period& period = zone->period(zone->period_at(t));
    ASSERT_LE(period.begin, t);
    ASSERT_GT(period.end, t);
  }
}

TEST(Zone, a_wall_time_shown_twice_is_passed_first_by_the_earlier_period) {
  const ZonePtr zone = new_york();
  const WallSecond half_past_one = second_at("2026-11-01T01:30:00Z");

  const Zone::Period& period = zone->period(zone->period_passing(half_past_one));

  EXPECT_EQ(period.offset, -4 * 3600);
}

TEST(Zone, a_skipped_wall_time_is_passed_by_the_period_behind_the_gap) {
  const ZonePtr zone = new_york();
  const WallSecond half_past_two = second_at("2027-03-14T02:30:00Z");

  const Zone::Period& period = zone->period(zone->period_passing(half_past_two));

  EXPECT_EQ(period.begin, second_at("2027-03-14T07:00:00Z"));
  EXPECT_GT(period.wall_begin(), half_past_two);
}

TEST(Zone, a_change_of_abbreviation_alone_is_no_transition) {
  const auto zone = Zone::make("Test/Renamed", {{.begin = 0, .offset = 3600, .abbreviation = "CET"},
                                                {.begin = 1'000'000, .offset = 3600, .abbreviation = "WEST"}});

  ASSERT_TRUE(zone);
  EXPECT_FALSE((*zone)->has_transitions());
  EXPECT_EQ((*zone)->abbreviation_at(999'999), "CET");
  EXPECT_EQ((*zone)->abbreviation_at(1'000'000), "WEST");
}

TEST(Zone, the_first_offset_holds_for_everything_before) {
  const ZonePtr zone = zone_with_change("2000-01-01T00:00:00Z", 3600, 7200);

  EXPECT_EQ(zone->offset_at(second_at("1900-01-01T00:00:00Z")), 3600);
  EXPECT_EQ(zone->offset_at(second_at("2199-12-31T23:59:59Z")), 7200);
}

TEST(Zone, transitions_out_of_order_are_refused) {
  const auto zone = Zone::make("Test/Broken", {{.begin = 10, .offset = 0, .abbreviation = "A"},
                                               {.begin = 10, .offset = 1, .abbreviation = "B"}});

  ASSERT_FALSE(zone);
  EXPECT_EQ(zone.error().code, ErrorCode::corrupt);
}

TEST(Zone, absurd_offsets_and_empty_rules_are_refused) {
  EXPECT_FALSE(Zone::make("Test/Empty", {}));
  EXPECT_FALSE(Zone::make("Test/Far", {{.begin = 0, .offset = 100'000, .abbreviation = "X"}}));
}

}  // namespace
}  // namespace carillon
