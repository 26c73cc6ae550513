#include "scheduling/zone_edition.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

TEST(ZoneEdition, releases_of_tzdata_are_ordered) {
  EXPECT_EQ(zone_edition("2026b"), ZoneEdition{2026 * 32 + 2});
  EXPECT_LT(zone_edition("2026b"), zone_edition("2026c"));
  EXPECT_LT(zone_edition("2026z"), zone_edition("2027a"));
}

TEST(ZoneEdition, what_is_no_release_is_older_than_all) {
  for (const auto* text : {"", "unknown", "2026", "2026bc", "b", "2026B", "26b", "99999b"}) {
    EXPECT_NE(zone_edition(text), ZoneEdition::none) << text;
    EXPECT_LT(zone_edition(text), zone_edition("1993a")) << text;
  }
}

}  // namespace
}  // namespace carillon
