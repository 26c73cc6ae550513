#include "support/command_line_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

TEST(DescribeCommand, says_the_sentence_and_the_next_three_runs) {
  const Told told = carillon_says({"describe", "30 2 * * *", "--tz", "America/New_York"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.output,
            "At 02:30 every day (America/New_York); on 2027-03-14 at 03:00 (clock change)\n"
            "  1  Fri 30 Oct 02:30 EDT   06:30Z   in 16h07m\n"
            "  2  Sat 31 Oct 02:30 EDT   06:30Z   in 1d16h\n"
            "  3  Sun  1 Nov 02:30 EST   07:30Z   in 2d17h    ← UTC shifts by 1 h\n");
}

TEST(DescribeCommand, has_json_with_warnings_and_when_they_matter) {
  const Told told = carillon_says({"describe", "30 1 * * *", "--tz", "America/New_York", "-o", "json"});

  EXPECT_THAT(told.output, ::testing::StartsWith("{\n  \"description\": \"At 01:30 every day (America/New_York)"));
  EXPECT_THAT(told.output, ::testing::HasSubstr("\"code\": \"dst-overlap\""));
  EXPECT_THAT(told.output, ::testing::HasSubstr("\"at\": \"2026-11-01T05:30:00Z\""));
}

TEST(DescribeCommand, reads_a_spec) {
  ScriptedConsole console;
  console.input = "{cron: 0 9 * * 1-5, timezone: Europe/Berlin}";

  const Told told = carillon_on(console, {"describe", "--spec", "-"});

  EXPECT_THAT(told.output, ::testing::StartsWith("At 09:00, Monday to Friday (Europe/Berlin)\n"));
}

TEST(DescribeCommand, refuses_what_never_happens) {
  const Told told = carillon_says({"describe", "0 0 31 2 *"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, ::testing::StartsWith("error: 31 February never occurs."));
}

}  // namespace
}  // namespace carillon::cli
