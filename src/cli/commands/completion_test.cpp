#include "cli/command_line/arguments.hpp"
#include "support/command_line_fixture.hpp"
#include "support/run_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Completing : public ::testing::Test {
 protected:
  Completing() {
    console.variables["HOME"] = "/nonexistent";
    console.variables["CARILLON_SERVER"] = "bell:1";
  }
  /// What is offered in place of the last word.
  std::string offered(std::vector<std::string> words) {
    console.output.clear();
    words.insert(words.begin(), {"completion", "candidates", "--"});
    const Told told = carillon_on(console, transport, words);
    EXPECT_EQ(told.exit_code, 0);
    EXPECT_EQ(told.error, "");
    return told.output;
  }
  ScriptedConsole console;
  ScriptedTransport transport;
};

TEST_F(Completing, offers_first_and_second_words) {
  EXPECT_EQ(offered({"descr"}), "describe\n");
  EXPECT_EQ(offered({"context", "l"}), "list\n");
  EXPECT_EQ(offered({"config", ""}), "get\npath\nset\nshow\nunset\n");
  EXPECT_THAT(offered({"scheduler", ""}), HasSubstr("list\n"));
  EXPECT_THAT(offered({"scheduler", ""}), Not(HasSubstr("zones\n")));
}

TEST_F(Completing, offers_flags_and_their_values) {
  EXPECT_EQ(offered({"next", "--af"}), "--after\n");
  EXPECT_EQ(offered({"list", "-o", "j"}), "json\njsonl\n");
  EXPECT_EQ(offered({"next", "--tz", "Europe/Berl"}), "Europe/Berlin\n");
  EXPECT_EQ(offered({"next", "--spec", ""}), ":files\n");
  EXPECT_EQ(offered({"lint", ""}), ":files\n");
}

TEST_F(Completing, offers_the_words_that_a_flag_may_be) {
  EXPECT_EQ(offered({"list", "--status", "pa"}), "paused\n");
  EXPECT_EQ(offered({"list", "--status", "fa"}), "failing\n");
  EXPECT_EQ(offered({"run", "list", "--state", "failed,lo"}), "failed,lost\n");
  EXPECT_EQ(offered({"history", "nightly", "--state", "sk"}), "skipped\n");
  EXPECT_EQ(offered({"add", "x", "--overlap", "buffer_"}), "buffer_one\nbuffer_latest\nbuffer_all\n");
  EXPECT_EQ(offered({"trigger", "x", "--overlap", "allow"}), "allow_all\n");
  EXPECT_EQ(offered({"edit", "x", "--catchup", "la"}), "latest\n");
}

TEST_F(Completing, offers_namespaces) {
  transport.answer("GET /api/v1/schedules?limit=500", page_of({small_schedule("nightly"), small_schedule("news")}));

  EXPECT_EQ(offered({"list", "--namespace", ""}), "default\n");
}

TEST_F(Completing, offers_times_of_the_schedule_behind_why_and_a_name) {
  transport.answer("GET /api/v1/schedules/daily-report/runs?decisions=true&limit=20",
                   page_of({run_that_succeeded, run_that_failed}));

  EXPECT_EQ(offered({"why", "daily-report", ""}), "2026-10-29T13:00:00Z\n2026-10-23T13:00:00Z\n");
  EXPECT_EQ(offered({"status", "daily-report", ""}), "");
}

TEST_F(Completing, offers_topics_shells_and_keys) {
  EXPECT_EQ(offered({"help", "reas"}), "reasons\n");
  EXPECT_EQ(offered({"help", "config", "s"}), "set\nshow\n");
  EXPECT_EQ(offered({"completion", "z"}), "zsh\n");
  EXPECT_EQ(offered({"config", "set", "tok"}), "tokenFile\n");
}

TEST_F(Completing, is_silent_about_nonsense) {
  EXPECT_EQ(offered({}), "");
  EXPECT_EQ(offered({"nonsense", ""}), "");
  EXPECT_EQ(offered({"next", "--nonsense", "x", ""}), "");
}

TEST_F(Completing, is_silent_when_no_server_answers) {
  transport.is_reachable = false;

  for (const Verb* verb : verbs()) {
    if (verb->completes != Completes::schedules || verb->name.contains(' ')) continue;
    EXPECT_EQ(offered({std::string{verb->name}, ""}), "") << verb->name;
  }
}

TEST_F(Completing, asks_the_server_for_names_and_does_not_wait_long) {
  const std::string list = page_of({small_schedule("nightly"), small_schedule("news"), small_schedule("other")});
  transport.answer("GET /api/v1/schedules?limit=500", list);

  for (const Verb* verb : verbs()) {
    if (verb->completes != Completes::schedules || verb->name.contains(' ')) continue;
    EXPECT_EQ(offered({std::string{verb->name}, "n"}), "nightly\nnews\n") << verb->name;
    EXPECT_LE(transport.requests.back().timeout, std::chrono::milliseconds{200});
  }
  EXPECT_FALSE(transport.requests.empty());
}

}  // namespace
}  // namespace carillon::cli
