#include "cli/user_definitions/definition_commands_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ApplyCommand, sends_what_differs_with_the_revision_it_was_compared_with) {
  DefinitionWorld world;
  world.would_make("30 9 * * 1-5");
  world.transport.answer("PUT /api/v1/schedules/nightly?namespace=default", answered_schedule("30 9 * * 1-5"));

  const Told told = world.says({"apply", world.nightly_file("30 9 * * 1-5")});

  EXPECT_EQ(told.output,
            "updated  nightly  At 09:30, Monday to Friday (America/New_York)\n"
            "1 schedule · 1 updated\n");
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(world.writes(), ElementsAre("PUT /api/v1/schedules/nightly?namespace=default"));
  EXPECT_EQ(world.transport.header("If-Match"), "\"1\"");
}

TEST(ApplyCommand, leaves_alone_what_is_as_the_file_says) {
  DefinitionWorld world;
  world.would_make("0 9 * * 1-5");

  const Told told = world.says({"apply", world.nightly_file("0 9 * * 1-5")});

  EXPECT_EQ(told.output,
            "unchanged  nightly  At 09:00, Monday to Friday (America/New_York)\n"
            "1 schedule · 1 unchanged\n");
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(ApplyCommand, tells_the_faults_of_every_document_of_a_file) {
  DefinitionWorld world;

  const Told told =
      world.says({"apply", world.file("all.yaml", "id: a\nspec:\n\tcron: x\n---\nid: b\n---\ncron: * 9 * * *\n")});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("all.yaml:3:1"));
  EXPECT_THAT(told.error, HasSubstr("a tab in the indentation"));
  EXPECT_THAT(told.error, HasSubstr("action"));
  EXPECT_THAT(told.error, HasSubstr("must be in quotes"));
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(ApplyCommand, tells_that_a_file_is_empty) {
  DefinitionWorld world;

  EXPECT_THAT(world.says({"apply", world.file("all.yaml", "# nothing yet\n")}).error, HasSubstr("the file is empty"));
}

TEST(ApplyCommand, colours_what_it_did_on_a_terminal) {
  DefinitionWorld world;
  world.console.has_terminal = true;
  world.would_make("0 9 * * 1-5");

  const Told told = world.says({"apply", world.nightly_file("0 9 * * 1-5")});

  EXPECT_THAT(told.output, HasSubstr("\x1b[2munchanged\x1b[0m  nightly"));
}

TEST(ApplyCommand, needs_no_more_than_ASCII) {
  DefinitionWorld world;
  world.console.variables["LANG"] = "C";
  world.would_make("0 9 * * 1-5");

  const Told told = world.says({"apply", world.nightly_file("0 9 * * 1-5")});

  EXPECT_THAT(told.output, HasSubstr("1 schedule - 1 unchanged\n"));
}

TEST(ApplyCommand, sends_nothing_when_one_file_is_faulty) {
  DefinitionWorld world;
  const std::string good = world.nightly_file("0 9 * * 1-5");
  const std::string bad = world.file("bad.yaml", "id: other\nspec:\n  cron: '61 * * * *'\ncommand: [/bin/true]\n");

  const Told told = world.says({"apply", good, bad});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("bad.yaml:3:9"));
  EXPECT_THAT(told.error, HasSubstr("1 error in 2 files"));
  EXPECT_THAT(told.error, HasSubstr("nothing was sent\n"));
  EXPECT_THAT(world.transport.requests, IsEmpty());
}

TEST(ApplyCommand, finds_zones_that_do_not_exist_before_anything_is_sent) {
  DefinitionWorld world;
  const std::string bad = world.file(
      "bad.yaml", "id: other\nspec:\n  cron: '0 9 * * *'\n  timezone: Europe/Berlinn\ncommand: [/bin/true]\n");

  const Told told = world.says({"apply", bad});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("bad.yaml:4:13"));
  EXPECT_THAT(world.transport.requests, IsEmpty());
}

TEST(ApplyCommand, sends_nothing_when_the_server_would_refuse_one) {
  DefinitionWorld world;
  world.would_make("30 9 * * 1-5");
  world.transport.refuse("PUT /api/v1/schedules/other?dryRun=true", 422,
                         R"({"title": "not valid", "code": "invalid", "detail": "/spec: never fires"})");
  const std::string other = world.file("other.yaml", "{id: other, cron: '0 9 * * *', command: [/bin/true]}\n");

  const Told told = world.says({"apply", world.nightly_file("30 9 * * 1-5"), other});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.output, HasSubstr("failed  other  /spec: never fires ("));
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(ApplyCommand, goes_on_after_a_conflict_and_ends_with_5) {
  DefinitionWorld world;
  world.would_make("30 9 * * 1-5");
  world.transport.refuse(
      "PUT /api/v1/schedules/nightly?namespace=default", 412,
      R"({"title": "stale", "code": "stale_revision", "detail": "schedule nightly has revision 2, not 1"})");

  const Told told = world.says({"apply", world.nightly_file("30 9 * * 1-5")});

  EXPECT_EQ(told.exit_code, 5);
  EXPECT_THAT(told.output, HasSubstr("failed  nightly  schedule nightly has revision 2, not 1 ("));
  EXPECT_THAT(told.output, HasSubstr("1 schedule · 1 failed\n"));
}

TEST(ApplyCommand, prunes_what_has_the_label_and_is_in_no_file) {
  DefinitionWorld world;
  world.would_make("0 9 * * 1-5");
  world.transport.answer("GET /api/v1/schedules?namespace=default&label=team%3Ddata&limit=500",
                         page_of({small_schedule("nightly"), small_schedule("old")}));
  world.transport.answer("DELETE /api/v1/schedules/old?namespace=default", "", {}, 204);
  const std::string file = world.nightly_file("0 9 * * 1-5");

  const Told unasked = world.says({"apply", file, "--prune", "--label", "team=data"});
  const auto before = world.writes();
  const Told told = world.says({"apply", file, "--prune", "--label", "team=data", "--yes"});

  EXPECT_EQ(unasked.exit_code, 2);
  EXPECT_THAT(unasked.error, HasSubstr("delete 1 schedule found in no file (old)?"));
  EXPECT_THAT(before, IsEmpty());
  EXPECT_THAT(told.output, HasSubstr("deleted    old      Started by hand only\n"));
  EXPECT_THAT(world.writes(), ElementsAre("DELETE /api/v1/schedules/old?namespace=default"));
}

TEST(ApplyCommand, looks_at_its_flags_before_it_sends_anything) {
  DefinitionWorld world;
  world.would_make("30 9 * * 1-5");

  const Told told = world.says({"apply", world.nightly_file("30 9 * * 1-5"), "-o", "odd"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(world.transport.requests, IsEmpty());
}

TEST(ApplyCommand, wants_a_label_for_pruning) {
  DefinitionWorld world;

  const Told told = world.says({"apply", world.nightly_file("0 9 * * 1-5"), "--prune"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("--prune and --label must be used together"));
}

TEST(DiffCommand, shows_members_and_starts_that_change) {
  DefinitionWorld world;
  world.would_make("30 9 * * 1-4");

  const Told told = world.says({"diff", world.nightly_file("30 9 * * 1-4")});

  EXPECT_EQ(told.output,
            "nightly  changed\n"
            "  spec.cron[0] \"0 9 * * 1-5\" → \"30 9 * * 1-4\"\n"
            "  starts of the next 7d (America/New_York): 4 moved, 1 fewer\n"
            "    - Fri 30 Oct 09:00 EDT\n"
            "    ~ Mon  2 Nov 09:00 EST → Mon  2 Nov 09:30 EST\n"
            "    ~ Tue  3 Nov 09:00 EST → Tue  3 Nov 09:30 EST\n"
            "    ~ Wed  4 Nov 09:00 EST → Wed  4 Nov 09:30 EST\n"
            "    ~ Thu  5 Nov 09:00 EST → Thu  5 Nov 09:30 EST\n"
            "1 changed · 0 new · 0 equal\n");
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST(DiffCommand, ends_with_0_when_nothing_differs) {
  DefinitionWorld world;
  world.would_make("0 9 * * 1-5");

  const Told told = world.says({"diff", world.nightly_file("0 9 * * 1-5")});

  EXPECT_EQ(told.output, "0 changed · 0 new · 1 equal\n");
  EXPECT_EQ(told.exit_code, 0);
}

TEST(DiffCommand, never_ends_with_1_for_trouble) {
  DefinitionWorld world;
  world.transport.refuse("PUT /api/v1/schedules/nightly?dryRun=true", 503, R"({"title": "later"})");

  const Told told = world.says({"diff", world.nightly_file("0 9 * * 1-5")});

  EXPECT_EQ(told.exit_code, 6);
}

}  // namespace
}  // namespace carillon::cli
