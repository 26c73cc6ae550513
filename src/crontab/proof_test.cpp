#include "crontab/proof.hpp"

#include "support/fixed_zone_source.hpp"
#include "support/test_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace carillon {
namespace {

using carillon::testing::at;
using ::testing::SizeIs;
using Side = StartDifference::Side;

/// Both years of the fixed zones.
std::vector<Proof> proofs_of(std::string_view text, std::string zone) {
  FixedZoneSource zones;
  const CrontabOptions options{.form = CrontabForm::user, .timezone = std::move(zone), .home = "/"};
  const Crontab crontab = read_crontab(text, options, *zones.names());
  return prove(crontab.lines, at("2026-01-01T00:00:00Z"), at("2028-01-01T00:00:00Z"), zones).value();
}

TEST(Proof, an_ordinary_line_starts_exactly_as_before) {
  const std::vector<Proof> proofs = proofs_of("# jobs\n30 4 * * * cmd\n\n*/5 * * * * cmd\n", "Europe/Berlin");

  ASSERT_THAT(proofs, SizeIs(2));
  EXPECT_EQ(proofs[0].line, 2U);
  EXPECT_EQ(proofs[0].count_cron, 730U);
  EXPECT_EQ(proofs[0].count_ours, 730U);
  EXPECT_TRUE(proofs[0].is_clean());
  EXPECT_EQ(proofs[1].line, 4U);
  EXPECT_EQ(proofs[1].count_ours, 730U * 288);
  EXPECT_TRUE(proofs[1].is_clean());
}

TEST(Proof, clock_changes_make_no_difference_to_a_line_with_one_time_in_them) {
  for (const std::string_view line :
       {"30 2 * * * cmd\n", "0 3 * * * cmd\n", "*/30 2 * * * cmd\n", "15 * * * * cmd\n", "* * * * * cmd\n",
        "59 1 * * sun cmd\n", "0 2 */2 * sun cmd\n", "30 2 8-14 3 * cmd\n", "@daily cmd\n", "@hourly cmd\n"}) {
    for (const std::string_view zone : {"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}) {
      const std::vector<Proof> proofs = proofs_of(line, std::string{zone});
      ASSERT_THAT(proofs, SizeIs(1));
      EXPECT_TRUE(proofs[0].is_clean()) << zone << " " << line << proofs[0].differences[0].local;
      EXPECT_GT(proofs[0].count_cron, 0U) << zone << " " << line;
    }
  }
}

TEST(Proof, several_times_in_one_gap_are_one_start_fewer_each_and_the_reason_is_named) {
  const std::vector<Proof> proofs = proofs_of("0,30 2 * * * cmd\n", "America/New_York");

  ASSERT_EQ(proofs[0].difference_count, 2U);
  const StartDifference& difference = proofs[0].differences[0];
  EXPECT_EQ(difference.side, Side::only_cron);
  EXPECT_EQ(difference.at, at("2026-03-08T07:00:00Z"));
  EXPECT_EQ(difference.local, "2026-03-08T03:00:00-04:00");
  EXPECT_EQ(difference.why,
            "clocks go from 02:00 to 03:00: cron starts the line once for each of its times that were skipped, "
            "carillon once for all of them");
  EXPECT_EQ(proofs[0].count_cron, proofs[0].count_ours + 2);
}

TEST(Proof, a_line_of_its_own_zone_is_compared_with_cronie) {
  const std::vector<Proof> proofs = proofs_of("CRON_TZ=America/New_York\n30 2 * * * cmd\n30 1 * * * cmd\n", "UTC");

  EXPECT_TRUE(proofs[0].is_clean());
  EXPECT_EQ(proofs[0].count_cron, 728U);
  EXPECT_TRUE(proofs[1].is_clean());
  EXPECT_EQ(proofs[1].count_cron, 732U);
}

TEST(Proof, a_reading_that_differs_is_found_on_either_side) {
  FixedZoneSource zones;
  Crontab crontab = read_crontab("0 4 * * * cmd\n", {.form = CrontabForm::user, .home = "/"}, *zones.names());
  crontab.lines[0].schedule->times.hours = 1U << 5;

  const std::vector<Proof> proofs =
      prove(crontab.lines, at("2026-01-01T00:00:00Z"), at("2026-02-01T00:00:00Z"), zones).value();

  EXPECT_EQ(proofs[0].difference_count, 62U);
  ASSERT_THAT(proofs[0].differences, SizeIs(proof_differences_max));
  EXPECT_EQ(proofs[0].differences[0].side, Side::only_ours);
  EXPECT_EQ(proofs[0].differences[0].at, at("2026-01-01T04:00:00Z"));
  EXPECT_EQ(proofs[0].differences[1].side, Side::only_cron);
  EXPECT_EQ(proofs[0].differences[1].why, "no clock change explains it");
}

TEST(Proof, a_range_is_bounded_and_a_missing_zone_an_error) {
  FixedZoneSource zones;
  const CrontabOptions options{.form = CrontabForm::user, .timezone = "Europe/Berlin", .home = "/"};
  const Crontab crontab = read_crontab("0 4 * * * cmd\n", options, *zones.names());

  EXPECT_THAT(prove(crontab.lines, at("2026-01-01T00:00:00Z"), at("2026-01-01T00:00:00Z"), zones).value(), SizeIs(1));
  EXPECT_FALSE(prove(crontab.lines, at("2026-01-01T00:00:00Z"), at("2046-01-01T00:00:00Z"), zones).has_value());
  zones.forget("Europe/Berlin");
  EXPECT_FALSE(prove(crontab.lines, at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z"), zones).has_value());
}

}  // namespace
}  // namespace carillon
