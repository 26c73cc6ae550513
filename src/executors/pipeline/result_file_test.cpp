#include "executors/pipeline/result_file.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>

namespace carillon::pipeline {
namespace {

namespace fs = std::filesystem;

class ResultFiles : public ::testing::Test {
 protected:
  ResultFiles() { fs::create_directory(folder_.path() / ".results"); }

  void add(const std::string& name) const { std::ofstream{folder_.path() / ".results" / name} << "{}"; }
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(folder_.path() / ".results" / name); }
  void write_one(std::string_view started) const {
    ASSERT_TRUE(write_result_file(folder_.path(), parse_instant(started).value(), [](const Sink& sink) -> Result<> {
      sink("{}");
      return {};
    }));
  }

  TemporaryFolder folder_;
};

TEST_F(ResultFiles, go_when_they_are_older_than_a_month_and_not_among_the_newest_fifty) {
  for (int minute = 0; minute < 60; ++minute) add(fmt::format("2026-01-01T10-{:02}-00.json", minute));
  add("notes.json");
  add("2026-01-01.json");

  write_one("2026-06-01T00:00:00Z");

  EXPECT_TRUE(has("2026-06-01T00-00-00.json"));
  EXPECT_TRUE(has("2026-01-01T10-11-00.json"));
  EXPECT_FALSE(has("2026-01-01T10-10-00.json"));
  EXPECT_FALSE(has("2026-01-01T10-00-00.json"));
  EXPECT_TRUE(has("notes.json"));
  EXPECT_TRUE(has("2026-01-01.json"));
}

TEST_F(ResultFiles, of_the_last_month_all_stay) {
  for (int minute = 0; minute < 60; ++minute) add(fmt::format("2026-05-20T10-{:02}-00.json", minute));

  write_one("2026-06-01T00:00:00Z");

  EXPECT_TRUE(has("2026-05-20T10-00-00.json"));
}

}  // namespace
}  // namespace carillon::pipeline
