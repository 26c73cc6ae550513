#include "support/command_line_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ServeCommand, has_a_default_for_everything) {
  const Told told = carillon_says({"serve"});

  ASSERT_TRUE(told.server.served);
  EXPECT_EQ(told.server.served->data, "carillon-data");
  EXPECT_EQ(told.server.served->worker_count, 16U);
  EXPECT_EQ(told.server.served->stop_timeout, 30s);
}

TEST(ServeCommand, takes_folders_files_and_limits) {
  const Told told = carillon_says({"serve", "--data", "d", "--apply", "a.yaml", "--apply", "b/", "--workers", "3",
                                   "--stop-timeout", "5s", "--log", "json", "--allow-egress", "10.0.0.0/8"});

  ASSERT_TRUE(told.server.served) << told.error;
  EXPECT_EQ(told.server.served->data, "d");
  EXPECT_THAT(told.server.served->applied, ElementsAre("a.yaml", "b/"));
  EXPECT_THAT(told.server.served->allowed_egress, ElementsAre("10.0.0.0/8"));
  EXPECT_EQ(told.server.served->worker_count, 3U);
  EXPECT_EQ(told.server.served->stop_timeout, 5s);
  EXPECT_EQ(told.server.served->log_form, ServeRequest::LogForm::json);
}

TEST(ServeCommand, says_what_is_wrong_with_a_value) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"serve", "--workers", "0"}, "--workers \"0\" is no number from 1 to 10000"},
      {{"serve", "--stop-timeout", "soon"}, "--stop-timeout \"soon\" is no duration"},
      {{"serve", "--log", "xml"}, "--log \"xml\" is no form of a log"},
      {{"serve", "here"}, "serve takes no words, such as \"here\""},
      {{"serve", "--date", "d"}, "did you mean --data?"}};
  for (const auto& [words, text] : cases) {
    const Told told = carillon_says(words);
    EXPECT_EQ(told.exit_code, 2) << text;
    EXPECT_THAT(told.error, HasSubstr(text));
    EXPECT_FALSE(told.server.served) << text;
  }
}

TEST(LedgerCommand, exports_what_is_in_a_folder) {
  EXPECT_EQ(carillon_says({"ledger", "export", "--data", "d"}).server.exported, "d");
  EXPECT_EQ(carillon_says({"ledger", "export"}).server.exported, "carillon-data");
}

TEST(LedgerCommand, has_nothing_else_to_do) {
  const Told told = carillon_says({"ledger"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("carillon ledger export"));
}

}  // namespace
}  // namespace carillon
