#include "packages/package_id.hpp"

#include <gmock/gmock.h>

namespace carillon::packages {
namespace {

using ::testing::MatchesRegex;

TEST(PackageId, is_the_slug_of_the_path_and_six_digits_of_its_hash) {
  EXPECT_THAT(schedule_id_of("daily-report").text(), MatchesRegex("daily-report-[0-9a-f]{6}"));
  EXPECT_THAT(schedule_id_of("Team A/Daily report").text(), MatchesRegex("team-a-daily-report-[0-9a-f]{6}"));
}

TEST(PackageId, is_the_same_for_the_same_path_only) {
  EXPECT_EQ(schedule_id_of("a/b"), schedule_id_of("a/b"));
  EXPECT_NE(schedule_id_of("a/b"), schedule_id_of("a-b"));
}

TEST(PackageId, of_a_long_path_or_of_the_folder_itself_is_an_id) {
  EXPECT_EQ(schedule_id_of(std::string(4'000, 'x')).text().size(), 128U);
  EXPECT_THAT(schedule_id_of(".").text(), MatchesRegex("schedule-[0-9a-f]{6}"));
}

}  // namespace
}  // namespace carillon::packages
