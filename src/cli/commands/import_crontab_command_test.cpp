#include "cli/user_definitions/definition_commands_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* crontab =
    "# nightly work\n"
    "PATH=/usr/bin:/bin\n"
    "0 9 * * 1-5 /usr/bin/report\n"
    "\n"
    "61 * * * * /usr/bin/never\n";

TEST(ImportCrontab, accounts_for_every_line_and_prints_a_file_to_apply) {
  DefinitionWorld world;
  world.console.input = crontab;

  const Told told = world.says({"import", "crontab", "-", "--form", "user"});

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_THAT(told.output, HasSubstr("  - id: report\n"));
  EXPECT_THAT(told.output, HasSubstr("timezone: America/New_York\n"));
  EXPECT_THAT(told.error, HasSubstr("\n5  refused"));
  EXPECT_THAT(told.error, HasSubstr("5 lines"));
  EXPECT_THAT(told.error, HasSubstr("1 refused · 1 setting · 2 blank\n"));
  EXPECT_THAT(world.transport.requests, IsEmpty());
}

TEST(ImportCrontab, is_also_one_word) {
  DefinitionWorld world;
  world.console.input = crontab;

  const Told told = world.says({"import-crontab", "-", "--form", "user", "-o", "json"});

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_THAT(told.output, HasSubstr(R"("id": "report")"));
}

TEST(ImportCrontab, proves_that_it_starts_when_cron_would) {
  DefinitionWorld world;
  world.console.input = "PATH=/usr/bin:/bin\n0 9 * * 1-5 /usr/bin/report\n";

  const Told told = world.says({"import", "crontab", "-", "--form", "user", "--prove"});

  EXPECT_THAT(told.error, HasSubstr("starts in two years, the same as cron's"));
}

TEST(ImportCrontab, sends_them_disabled_if_both_must_never_run) {
  DefinitionWorld world;
  world.console.input = "0 9 * * 1-5 /usr/bin/report\n";
  world.transport.answer("PUT /api/v1/schedules/report?dryRun=true", small_schedule("report", "disabled"), {}, 201);
  world.transport.answer("PUT /api/v1/schedules/report?namespace=default", small_schedule("report", "disabled"), {},
                         201);

  const Told told = world.says({"import", "crontab", "-", "--form", "user", "--hold", "--apply"});

  EXPECT_THAT(told.output, HasSubstr("created  report"));
  EXPECT_THAT(world.writes(), ElementsAre("PUT /api/v1/schedules/report?namespace=default"));
  EXPECT_THAT(world.transport.requests.back().body, HasSubstr(R"("enabled":false)"));
}

TEST(ImportCrontab, tells_what_a_setting_changes_once) {
  DefinitionWorld world;
  world.console.input =
      "CRON_TZ=Europe/Berlin\n"
      "0 9 * * 1-5 /usr/bin/report\n"
      "0~30 10 * * 1-5 /usr/bin/other\n";

  const Told told = world.says({"import", "crontab", "-", "--form", "user"});

  EXPECT_THAT(told.error, HasSubstr("2  different  report  the times are those of Europe/Berlin, as cronie reads"));
  EXPECT_THAT(told.error, HasSubstr("3  different  other   cron chooses a new value for ~"));
  EXPECT_THAT(told.error, HasSubstr("as line 2: the times are those of Europe/Berlin · when the clocks of"));
}

TEST(ImportCrontab, wants_one_crontab_that_can_be_read) {
  DefinitionWorld world;

  EXPECT_EQ(world.says({"import", "crontab"}).exit_code, 2);
  EXPECT_EQ(world.says({"import", "crontab", "/nowhere/crontab"}).exit_code, 2);
  EXPECT_EQ(world.says({"import", "crontab", "-", "--form", "odd"}).exit_code, 2);
  EXPECT_EQ(world.says({"import", "crontab", "-", "--dry-run"}).exit_code, 2);
}

}  // namespace
}  // namespace carillon::cli
