#include "cli/user_definitions/definition_commands_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* preview_path = "POST /api/v1/schedules/nightly/backfills/preview?namespace=default";
constexpr const char* create_path = "POST /api/v1/schedules/nightly/backfills?namespace=default";
constexpr const char* show_path = "GET /api/v1/schedules/nightly/backfills/bf-19?namespace=default";
constexpr const char* list_path = "GET /api/v1/schedules/nightly/backfills?namespace=default";

std::string backfill(const std::string& state, int done) {
  return fmt::format(R"({{"id":"bf-19","schedule":"nightly","namespace":"default","from":"2026-10-01T04:00:00Z",)"
                     R"("to":"2026-10-24T04:00:00Z","order":"oldest_first","reprocess":"failed","concurrency":2,)"
                     R"("exclusive":false,"state":"{}","done":{},"total":17,"started":{}}})",
                     state, done, done < 4 ? done : 4);
}

struct BackfillWorld : DefinitionWorld {
  BackfillWorld() {
    transport.answer(preview_path, R"({"total":17,"count":4,"first":"2026-10-01T13:00:00Z",)"
                                   R"("last":"2026-10-23T13:00:00Z","conflicts":14,"failed":1})");
    transport.answer(create_path, backfill("running", 0), {}, 201);
    transport.answer(show_path, backfill("running", 3));
    transport.answer(show_path, backfill("completed", 17));
    transport.answer(list_path, R"({"items":[)" + backfill("running", 3) + "]}");
    transport.answer("GET /api/v1/schedules/nightly?namespace=default", answered_schedule("0 9 * * 1-5"));
    transport.answer("GET /api/v1/backfills?limit=500",
                     R"({"items":[)" + backfill("running", 3) + R"(],"nextPageToken":null})");
  }

  std::vector<std::string> create(const std::vector<std::string>& more) {
    std::vector<std::string> words{"backfill",   "create",      "nightly", "--from",        "2026-10-01", "--to",
                                   "2026-10-24", "--reprocess", "failed",  "--concurrency", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST(BackfillCommand, takes_times_as_every_command_does) {
  BackfillWorld world;

  const Told told = world.says({"backfill", "create", "nightly", "--from", "02:43", "--to", "now", "--dry-run"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(world.transport.requests.back().body, R"({"from":"2026-10-29T06:43:00Z","to":"2026-10-29T14:22:05Z"})");
}

TEST(BackfillCommand, previews_in_the_zone_of_the_schedule) {
  BackfillWorld world;

  const Told told = world.says(world.create({"--dry-run"}));

  EXPECT_EQ(told.output,
            "17 starts · 13 already run, skipped · 1 failed → run again · 3 missing → run\n4 runs (Thu  1 Oct – Fri 23 "
            "Oct, America/New_York), 2 at a time\n");
  EXPECT_THAT(world.transport.requests.back().body,
              HasSubstr(R"("from":"2026-10-01T04:00:00Z","to":"2026-10-24T04:00:00Z")"));
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(BackfillCommand, asks_before_it_starts_anything) {
  BackfillWorld world;

  const Told unasked = world.says(world.create({}));
  world.console.has_terminal = true;
  world.console.input = "n\n";
  const Told refused = world.says(world.create({"--color", "never"}));

  EXPECT_EQ(unasked.exit_code, 2);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.error, HasSubstr("run them? [y/N] nothing was started"));
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(BackfillCommand, waits_with_lines_where_there_is_no_terminal) {
  BackfillWorld world;

  const Told told = world.says(world.create({"--yes", "--wait"}));

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.output, "bf-19  running\n");
  EXPECT_THAT(told.error, HasSubstr("bf-19  3/17 done · 3 started\nbf-19 is completed: 4 of 17 started\n"));
  EXPECT_THAT(world.writes(), ElementsAre("POST /api/v1/schedules/nightly/backfills?namespace=default"));
}

TEST(BackfillCommand, waits_with_a_bar_on_a_terminal) {
  BackfillWorld world;
  world.console.has_terminal = true;

  const Told told = world.says(world.create({"--yes", "--wait"}));

  EXPECT_THAT(told.error, HasSubstr("\rbf-19  ███░░░░░░░░░░░░░░░░░  3/17 done · 3 started\x1b[K"));
}

TEST(BackfillCommand, lists_those_of_all_schedules) {
  BackfillWorld world;

  const Told told = world.says({"backfill", "list"});

  EXPECT_EQ(told.output,
            "ID     SCHEDULE  FROM              TO                STATE    DONE  STARTED\n"
            "bf-19  nightly   Thu  1 Oct 00:00  Sat 24 Oct 00:00  running  3/17        3\n");
}

TEST(BackfillCommand, shows_one_by_the_beginning_of_its_id) {
  BackfillWorld world;
  world.console.variables["LANG"] = "C";

  const Told told = world.says({"backfill", "show", "bf-1"});

  EXPECT_EQ(told.output,
            "bf-19 of nightly  running\n"
            "  Range     Thu  1 Oct 00:00 - Sat 24 Oct 00:00 (America/New_York)\n"
            "  Runs      failed - oldest_first - 2 at a time\n"
            "  Progress  3/17 done - 3 started\n");
}

TEST(BackfillCommand, pauses_the_one_that_is_named) {
  BackfillWorld world;
  world.transport.answer("POST /api/v1/schedules/nightly/backfills/bf-19/pause?namespace=default",
                         backfill("paused", 3));

  const Told told = world.says({"backfill", "pause", "nightly", "bf-19"});

  EXPECT_THAT(told.output, HasSubstr("bf-19 of nightly  paused\n"));
  EXPECT_EQ(world.says({"backfill", "cancel", "bf-77"}).exit_code, 3);
}

}  // namespace
}  // namespace carillon::cli
