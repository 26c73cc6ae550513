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
