#include "cli/user_definitions/definition_commands_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* upcoming = R"(,"upcoming":[{"nominal":"2026-10-30T13:00:00Z","due":"2026-10-30T13:00:00Z"},)"
                                 R"({"nominal":"2026-11-02T14:00:00Z","due":"2026-11-02T14:00:00Z"},)"
                                 R"({"nominal":"2026-11-03T14:00:00Z","due":"2026-11-03T14:00:00Z"},)"
                                 R"({"nominal":"2026-11-04T14:00:00Z","due":"2026-11-04T14:00:00Z"}])";

TEST(AddCommand, tells_what_it_means_and_the_next_three_starts) {
  DefinitionWorld world;
  world.transport.answer("POST /api/v1/schedules", answered_schedule("0 9 * * 1-5", upcoming), {}, 201);

  const Told told = world.says({"add", "nightly", "--cron", "0 9 * * 1-5", "--tz", "America/New_York", "--label",
                                "team=data", "--", "/usr/bin/etl", "--full"});

  EXPECT_EQ(told.output,
            "nightly  At 09:00, Monday to Friday (America/New_York)\n"
            "  1  Fri 30 Oct 09:00 EDT   13:00Z   in 22h37m\n"
            "  2  Mon  2 Nov 09:00 EST   14:00Z   in 3d23h\n"
            "  3  Tue  3 Nov 09:00 EST   14:00Z   in 4d23h\n");
  EXPECT_EQ(told.error, "added; see it: carillon status nightly\n");
  EXPECT_EQ(
      world.transport.requests.back().body,
      R"({"labels":{"team":"data"},"spec":{"cron":["0 9 * * 1-5"],"timezone":"America/New_York"},)"
      R"("action":{"command":{"argv":["/usr/bin/etl","--full"],"shell":false}},"name":"nightly","id":"nightly"})");
}

TEST(AddCommand, has_flags_for_what_a_command_finds_and_for_times_from_now_on) {
  DefinitionWorld world;
  world.transport.answer("POST /api/v1/schedules", answered_schedule("0 9 * * 1-5"), {}, 201);

  const Told told = world.says({"add", "once", "--at", "+5m", "--jitter", "30s", "--env", "A=b=c", "--env",
                                "D=", "--cwd", "/srv", "--", "/bin/true"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(world.transport.requests.back().body,
            R"({"spec":{"times":["2026-10-29T14:27:05Z"],"jitter":"30s"},"action":{"command":{"cwd":"/srv",)"
            R"("env":{"A":"b=c","D":""},"argv":["/bin/true"],"shell":false}},"name":"once","id":"once"})");
  EXPECT_EQ(world.says({"add", "x", "--every", "1h", "--env", "A=b", "--url", "http://a"}).exit_code, 2);
  EXPECT_EQ(world.says({"add", "x", "--every", "1h", "--env", "A", "--", "ls"}).exit_code, 2);
}

TEST(AddCommand, refuses_a_name_whose_id_is_taken) {
  DefinitionWorld world;
  world.transport.refuse("POST /api/v1/schedules", 409,
                         R"({"title": "Conflict", "code": "conflict", "detail": "schedule fast already exists"})");

  const Told told = world.says({"add", "Fast", "--every", "1h", "--", "/bin/true"});

  EXPECT_EQ(told.exit_code, 5);
  EXPECT_THAT(world.transport.requests.back().body, HasSubstr(R"("id":"fast")"));
  EXPECT_THAT(told.error, HasSubstr("schedule fast already exists"));
  EXPECT_THAT(told.error, HasSubstr("carillon edit fast"));
}

TEST(AddCommand, names_the_flag_that_the_server_refuses) {
  DefinitionWorld world;
  world.transport.refuse("POST /api/v1/schedules", 422,
                         R"({"title": "Invalid", "code": "invalid", "detail": "two faults", "errors": [
                             {"pointer": "/spec/intervals/0/every", "message": "\"5\" is not a duration"},
                             {"pointer": "/policies/timeout", "message": "\"7\" is not a duration"}]})");

  const Told told = world.says({"add", "x", "--every", "5", "--timeout", "7", "--", "ls"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr(R"(--every: "5" is not a duration)"));
  EXPECT_THAT(told.error, HasSubstr(R"(--timeout: "7" is not a duration)"));
}

TEST(AddCommand, once_may_be_a_length_from_now) {
  DefinitionWorld world;

  static_cast<void>(world.says({"add", "once", "--at", "+5m", "--at", "2h", "--", "true"}));

  EXPECT_THAT(world.transport.requests.back().body,
              HasSubstr(R"("times":["2026-10-29T14:27:05Z","2026-10-29T16:22:05Z"])"));
}

TEST(AddCommand, has_flags_for_what_people_set) {
  DefinitionWorld world;
  world.transport.answer("POST /api/v1/schedules?dryRun=true", answered_schedule("0 9 * * 1-5"));

  const Told told = world.says({"add",       "Report",     "--id",      "rep",
                                "--every",   "15m",        "--at",      "2026-12-24 09:00",
                                "--job",     "report",     "--payload", R"({"format": "pdf"})",
                                "--overlap", "buffer_one", "--catchup", "none",
                                "--retries", "0",          "--timeout", "10m",
                                "--dry-run", "-q"});

  EXPECT_EQ(told.output, "nightly\n");
  EXPECT_EQ(world.transport.requests.back().body,
            R"({"spec":{"intervals":[{"every":"15m"}],"times":["2026-12-24T14:00:00Z"]},)"
            R"("action":{"job":{"type":"report","payload":{"format":"pdf"}}},)"
            R"("policies":{"overlap":"buffer_one","catchup":{"policy":"none"},"retry":{"maxAttempts":1},)"
            R"("timeout":"10m"},"name":"Report","id":"rep"})");
}

TEST(AddCommand, wants_exactly_one_thing_to_do) {
  DefinitionWorld world;

  EXPECT_EQ(world.says({"add"}).exit_code, 2);
  EXPECT_EQ(world.says({"add", "x", "--every", "1h"}).exit_code, 2);
  EXPECT_EQ(world.says({"add", "x", "--every", "1h", "--url", "http://a", "--", "/bin/true"}).exit_code, 2);
  EXPECT_EQ(world.says({"add", "x", "--job", "a", "--payload", "{"}).exit_code, 2);
  EXPECT_EQ(world.says({"add", "x", "--job", "a", "--label", "nothing"}).exit_code, 2);
  EXPECT_THAT(world.transport.requests, IsEmpty());
}

TEST(EditCommand, sends_a_patch_with_the_revision_it_has_read_and_shows_the_difference) {
  DefinitionWorld world;
  world.transport.answer("PATCH /api/v1/schedules/nightly?namespace=default", answered_schedule("0 10 * * 1-5"));

  const Told told = world.says({"edit", "nightly", "--cron", "0 10 * * 1-5", "--label", "old-"});

  EXPECT_EQ(told.output,
            "nightly\n"
            "  spec.cron[0] \"0 9 * * 1-5\" → \"0 10 * * 1-5\"\n"
            "  starts of the next 7d (America/New_York): 5 moved\n"
            "    ~ Fri 30 Oct 09:00 EDT → Fri 30 Oct 10:00 EDT\n"
            "    ~ Mon  2 Nov 09:00 EST → Mon  2 Nov 10:00 EST\n"
            "    ~ Tue  3 Nov 09:00 EST → Tue  3 Nov 10:00 EST\n"
            "    ~ Wed  4 Nov 09:00 EST → Wed  4 Nov 10:00 EST\n"
            "    ~ Thu  5 Nov 09:00 EST → Thu  5 Nov 10:00 EST\n");
  EXPECT_EQ(told.error, "changed\n");
  EXPECT_EQ(world.transport.requests.back().body,
            R"({"labels":{"old":null},"spec":{"cron":["0 10 * * 1-5"],"calendars":[],"intervals":[],"times":[]}})");
  EXPECT_EQ(world.transport.header("If-Match"), "\"1\"");
}

TEST(EditCommand, ends_with_5_when_somebody_was_faster) {
  DefinitionWorld world;
  world.transport.refuse("PATCH /api/v1/schedules/nightly?namespace=default", 412, R"({"detail": "has revision 2"})");

  const Told told = world.says({"edit", "nightly", "--timeout", "1m"});

  EXPECT_EQ(told.exit_code, 5);
}

TEST(EditCommand, opens_an_editor_and_sends_what_was_written) {
  DefinitionWorld world;
  world.console.variables["TMPDIR"] = world.folder.path().string();
  world.console.variables["EDITOR"] = "sed -i 's/0 9/30 9/'";
  world.transport.answer("GET /api/v1/schedules/nightly?namespace=default", answered_schedule("0 9 * * 1-5"));
  world.transport.answer("PUT /api/v1/schedules/nightly?namespace=default&dryRun=true",
                         answered_schedule("30 9 * * 1-5"));
  world.transport.answer("PUT /api/v1/schedules/nightly?namespace=default", answered_schedule("30 9 * * 1-5"));

  const Told told = world.says({"edit", "nightly"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_THAT(told.output, HasSubstr(R"(spec.cron[0] "0 9 * * 1-5" → "30 9 * * 1-5")"));
  EXPECT_THAT(world.transport.requests.back().body, HasSubstr("30 9 * * 1-5"));
  EXPECT_EQ(world.transport.header("If-Match"), "\"1\"");
  EXPECT_TRUE(std::filesystem::is_empty(world.folder.path()));
}

TEST(EditCommand, keeps_what_was_written_when_it_is_faulty) {
  DefinitionWorld world;
  world.console.variables["TMPDIR"] = world.folder.path().string();
  world.console.variables["EDITOR"] = "sed -i 's/0 9/77 9/'";

  const Told told = world.says({"edit", "nightly"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("your edits are saved in " + world.folder.path().string()));
  EXPECT_FALSE(std::filesystem::is_empty(world.folder.path()));
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(EditCommand, opens_nothing_where_nobody_can_answer) {
  DefinitionWorld world;

  EXPECT_EQ(world.says({"edit", "nightly"}).exit_code, 2);
  EXPECT_EQ(world.says({"edit", "nightly", "--no-input"}).exit_code, 2);
}

}  // namespace
}  // namespace carillon::cli
