#include "support/command_line_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;

TEST(Init, writes_examples_that_lint_finds_nothing_in) {
  const TemporaryFolder folder;
  const std::string hello = folder.path() / "hello";

  const Told told = carillon_says({"init", hello});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_THAT(told.output, HasSubstr("carillon serve --apply ."));
  for (const char* name : {"hello.yaml", "webhook.yaml", "README.md", ".gitignore"})
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path{hello} / name)) << name;
  const Told lint = carillon_says({"lint", hello});
  EXPECT_EQ(lint.exit_code, 0) << lint.output << lint.error;
}

TEST(Init, writes_a_pipeline_that_runs_with_the_answers_beside_it) {
  const TemporaryFolder folder;
  const std::string reports = folder.path() / "reports";

  const Told told = carillon_says({"init", "--example", "pipeline", reports});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  const Told valid = carillon_says({"pipeline", "validate", reports + "/pipelines"});
  EXPECT_EQ(valid.exit_code, 0) << valid.output << valid.error;
  const Told run =
      carillon_says({"pipeline", "run", reports + "/pipelines/daily-report", "--mock", reports + "/answers.yaml"});
  EXPECT_EQ(run.exit_code, 0) << run.output << run.error;
  EXPECT_THAT(run.output, HasSubstr("\"severity\": \"high\""));
  EXPECT_THAT(run.error, HasSubstr("3 items, 0 failed"));
}

TEST(Init, knows_its_examples) {
  const Told told = carillon_says({"init", "--example", "nothing"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("--example: unknown value \"nothing\""));
}

TEST(Init, never_writes_over_anything) {
  const TemporaryFolder folder;
  folder.write("README.md", "mine");

  const Told told = carillon_says({"init", folder.path().string()});

  EXPECT_EQ(told.exit_code, 5);
  EXPECT_THAT(told.error, HasSubstr("README.md"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "hello.yaml"));
}

}  // namespace
}  // namespace carillon::cli
