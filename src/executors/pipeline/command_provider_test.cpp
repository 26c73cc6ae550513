#include "executors/pipeline/command_provider.hpp"

#include "executors/pipeline/question_test.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <thread>

namespace carillon::pipeline {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

ProviderResult ask_shell(const std::string& script, const std::string& prompt = "hi", Duration timeout = 60s,
                         const std::stop_token& stop = {}) {
  CommandProvider provider{{.argv = {"sh", "-c", script}, .grace = 5s}};
  return provider.ask(a_question(prompt, "big"), timeout, stop);
}

TEST(CommandAnswer, is_what_the_program_writes_byte_by_byte) {
  const std::string prompt = "  line\n\tü $HOME `x`\n\n";

  EXPECT_EQ(ask_shell("cat", prompt)->text, prompt);
}

TEST(CommandAnswer, takes_prompts_and_answers_larger_than_a_pipe) {
  const std::string prompt(1024 * 1024, 'x');

  EXPECT_EQ(ask_shell("cat", prompt)->text, prompt);
}

TEST(CommandAnswer, may_come_without_the_prompt_being_read) {
  EXPECT_EQ(ask_shell("printf done", std::string(1024 * 1024, 'x'))->text, "done");
}

TEST(CommandAnswer, comes_from_a_program_that_is_told_the_model_and_little_else) {
  ::setenv("CARILLON_TEST_PRIVATE", "x", 1);

  EXPECT_EQ(ask_shell("printf %s \"$CARILLON_MODEL$CARILLON_TEST_PRIVATE\"")->text, "big");
}

TEST(CommandAnswer, fails_with_the_exit_code_and_the_last_words) {
  const ProviderResult result = ask_shell("echo out; echo 'no such model' >&2; exit 3");

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::permanent);
  EXPECT_EQ(result.error().message, "the program ended with exit code 3: no such model");
}

TEST(CommandAnswer, fails_for_a_while_by_exit_code_75_and_by_signals) {
  EXPECT_EQ(ask_shell("exit 75").error().kind, FailureClass::transient);
  EXPECT_EQ(ask_shell("kill -9 $$").error().kind, FailureClass::transient);
}

TEST(CommandAnswer, cannot_be_had_from_a_program_that_does_not_exist) {
  CommandProvider provider{{.argv = {"/nonexistent/program"}}};

  const ProviderResult result = provider.ask(a_question("hi"), 60s, {});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::hopeless);
  EXPECT_THAT(result.error().message, HasSubstr("No such file"));
}

/// Whether a process of this number is alive.
bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0; }

TEST(CommandAnswer, that_takes_too_long_ends_the_program_and_its_children) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "pid";

  const ProviderResult result =
      ask_shell("trap '' TERM; sh -c 'echo $$ > " + file + "; exec sleep 1000' & wait; wait", "hi", 200ms);

  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is_timeout);
  pid_t pid = 0;
  std::ifstream{file} >> pid;
  if (pid != 0) {
    // Its new parent may not have waited for it yet.
    std::ifstream status{"/proc/" + std::to_string(pid) + "/stat"};
    std::string number;
    std::string name;
    std::string state;
    status >> number >> name >> state;
    EXPECT_TRUE(!is_alive(pid) || state == "Z") << state;
  }
}

TEST(CommandAnswer, is_not_waited_for_after_a_stop) {
  std::stop_source source;
  std::jthread stopper{[&] { source.request_stop(); }};

  const ProviderResult result = ask_shell("exec sleep 1000", "hi", 1h, source.get_token());

  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is_cancelled);
}

TEST(CommandAnswer, has_a_largest_size) {
  CommandProvider provider{{.argv = {"sh", "-c", "yes"}, .answer_size_max = 100'000}};

  const ProviderResult result = provider.ask(a_question(""), 60s, {});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::answer);
}

TEST(CommandAnswer, never_shows_secrets_of_the_environment) {
  CommandProvider provider{{.argv = {"sh", "-c", "printf \"key is $KEY\""},
                            .environment = {{"KEY", "${secret:ai}"}},
                            .secrets = [](std::string_view) { return Result<std::string>{"sk-very-secret"}; }}};

  EXPECT_EQ(provider.ask(a_question(""), 60s, {})->text, "key is ***");
}

}  // namespace
}  // namespace carillon::pipeline
