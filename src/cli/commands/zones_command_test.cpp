#include "support/command_line_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;

TEST(ZonesCommand, lists_current_names_with_offset_and_next_change) {
  EXPECT_EQ(carillon_says({"zones"}).output,
            "NAME                 OFFSET  ABBR  NEXT CHANGE\n"
            "America/New_York     -04:00  EDT   Sun  1 Nov 2026 02:00 → 01:00 EST\n"
            "Asia/Pyongyang       +09:00  KST\n"
            "Australia/Lord_Howe  +11:00  +11   Sun  4 Apr 2027 02:00 → 01:30 +1030\n"
            "Europe/Berlin        +01:00  CET   Sun 28 Mar 2027 02:00 → 03:00 CEST\n"
            "UTC                  +00:00  UTC\n");
}

TEST(ZonesCommand, finds_any_part_of_a_name_whatever_its_case) {
  EXPECT_EQ(carillon_says({"zones", "bERL", "-q"}).output, "Europe/Berlin\n");
}

TEST(ZonesCommand, shows_old_names_when_asked_for) {
  EXPECT_THAT(carillon_says({"zones", "eastern"}).output, HasSubstr("old name of America/New_York"));
  EXPECT_THAT(carillon_says({"zones", "--all", "-q"}).output, HasSubstr("US/Eastern\n"));
}

TEST(ZonesCommand, has_json) {
  EXPECT_EQ(carillon_says({"zones", "eastern", "-o", "json"}).output, R"([
  {
    "name": "US/Eastern",
    "offset": "-04:00",
    "abbreviation": "EDT",
    "nextChange": "2026-11-01T06:00:00Z",
    "nextOffset": "-05:00",
    "replacedBy": "America/New_York"
  }
]
)");
  EXPECT_EQ(carillon_says({"zones", "utc", "-o", "csv"}).output,
            "name,offset,abbreviation,nextChange,nextOffset,replacedBy\nUTC,+00:00,UTC,,,\n");
}

TEST(ZonesCommand, suggests_the_nearest_name_for_one_it_does_not_know) {
  const Told told = carillon_says({"zones", "Europe/Berln"});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_EQ(told.output, "");
  EXPECT_THAT(told.error, HasSubstr("matches \"Europe/Berln\""));
  EXPECT_THAT(told.error, HasSubstr("Europe/Berlin?"));
}

}  // namespace
}  // namespace carillon::cli
