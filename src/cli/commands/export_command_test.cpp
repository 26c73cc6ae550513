#include "cli/user_definitions/definition_commands_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view nightly_yaml =
    "id: nightly\n"
    "labels:\n"
    "  team: data\n"
    "spec:\n"
    "  cron:\n"
    "    - \"0 9 * * 1-5\"\n"
    "  timezone: America/New_York\n"
    "action:\n"
    "  command:\n"
    "    argv:\n"
    "      - /usr/bin/etl\n"
    "      - \"--full\"\n";

TEST(ExportCommand, says_no_more_than_it_must) {
  DefinitionWorld world;

  const Told told = world.says({"export", "nightly"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.output, nightly_yaml);
}

TEST(ExportCommand, what_it_says_differs_in_nothing) {
  DefinitionWorld world;
  world.would_make("0 9 * * 1-5");
  world.console.input = nightly_yaml;

  const Told told = world.says({"diff", "-"});

  EXPECT_EQ(told.output, "0 changed · 0 new · 1 equal\n");
}

TEST(ExportCommand, takes_every_page) {
  DefinitionWorld world;
  world.transport.answer("GET /api/v1/schedules?limit=500",
                         R"({"items":[)" + answered_schedule("@daily") + R"(],"total":2,"nextPageToken":"t"})");
  world.transport.answer("GET /api/v1/schedules?limit=500&pageToken=t",
                         R"({"items":[)" + answered_schedule("@hourly") + R"(],"total":2,"nextPageToken":null})");

  const Told told = world.says({"export"});

  EXPECT_THAT(told.output, HasSubstr("@daily"));
  EXPECT_THAT(told.output, HasSubstr("@hourly"));
}

TEST(ExportCommand, does_not_write_through_links_that_somebody_put_there) {
  DefinitionWorld world;
  world.transport.answer("GET /api/v1/schedules?limit=500",
                         R"({"items":[)" + answered_schedule("@daily") + R"(],"total":1,"nextPageToken":null})");
  const TemporaryFolder folder;
  folder.write("precious", "mine");
  std::filesystem::create_directories(folder.path() / "out");
  std::filesystem::create_symlink(folder.path() / "precious", folder.path() / "out" / "nightly.yaml");
  std::filesystem::create_symlink(folder.path() / "precious", folder.path() / "out" / "nightly.yaml.new");

  const Told told = world.says({"export", "--dir", (folder.path() / "out").string()});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "precious"), 4U);
  EXPECT_TRUE(
      std::filesystem::is_regular_file(std::filesystem::symlink_status(folder.path() / "out" / "nightly.yaml")));
}

TEST(ExportCommand, does_not_write_into_a_folder_that_somebody_linked_elsewhere) {
  DefinitionWorld world;
  std::string schedule = answered_schedule("@daily");
  schedule.replace(schedule.find(R"("namespace":"default")"), 21, R"("namespace":"blue")");
  world.transport.answer("GET /api/v1/schedules?limit=500",
                         R"({"items":[)" + schedule + R"(],"total":1,"nextPageToken":null})");
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "out");
  std::filesystem::create_directories(folder.path() / "theirs");
  std::filesystem::create_directory_symlink(folder.path() / "theirs", folder.path() / "out" / "blue");

  const Told told = world.says({"export", "--dir", (folder.path() / "out").string()});

  EXPECT_NE(told.exit_code, 0);
  EXPECT_THAT(told.error, HasSubstr("is a symbolic link"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "theirs"));
}

TEST(ExportCommand, writes_a_file_for_each) {
  DefinitionWorld world;
  const auto folder = world.folder.path() / "out";

  const Told told = world.says({"export", "nightly", "--dir", folder.string()});

  std::ifstream stream{folder / "nightly.yaml"};
  const std::string text{std::istreambuf_iterator<char>{stream}, {}};
  EXPECT_EQ(text, nightly_yaml);
  EXPECT_EQ(told.output, "");
  EXPECT_THAT(told.error, HasSubstr("1 schedule written to "));
}

TEST(ExportCommand, lets_no_name_lead_out_of_the_folder) {
  DefinitionWorld world;
  world.transport.answer("GET /api/v1/schedules?limit=500", page_of({small_schedule("../../evil")}));

  const Told told = world.says({"export", "--dir", (world.folder.path() / "a" / "b").string()});

  EXPECT_EQ(told.exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(world.folder.path() / "evil.yaml"));
}

}  // namespace
}  // namespace carillon::cli
