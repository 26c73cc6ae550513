#include "executors/pipeline/command_provider.hpp"

#include "executors/pipeline/question_test.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/process_executor.hpp"
#include "runtime/system_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace carillon::pipeline {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

/// Programs that are started by a launcher, as those of a server are.
class CommandAnswer : public testing::Test {
 protected:
  CommandAnswer() {
    auto launcher = start_launcher({.grace = 100ms});
    EXPECT_TRUE(launcher) << launcher.error().message;
    launcher_pid_ = launcher->pid();
    executor_ = std::make_unique<ProcessExecutor>(clock_, *programs_, *std::move(launcher));
    programs_->use(*executor_);
  }

  [[nodiscard]] ProviderResult ask(CommandProviderOptions options, const std::string& prompt = "hi",
                                   Duration timeout = 60s, const std::stop_token& stop = {}) {
    options.programs = programs_;
    CommandProvider provider{std::move(options)};
    return provider.ask(a_question(prompt, "big"), timeout, stop);
  }
  [[nodiscard]] ProviderResult ask_shell(const std::string& script, const std::string& prompt = "hi",
                                         Duration timeout = 60s, const std::stop_token& stop = {}) {
    return ask({.argv = {"sh", "-c", script}, .grace = 5s}, prompt, timeout, stop);
  }

  SystemClock clock_;
  std::shared_ptr<LaunchedPrograms> programs_ = std::make_shared<LaunchedPrograms>(clock_);
  pid_t launcher_pid_ = 0;
  std::unique_ptr<ProcessExecutor> executor_;
};

TEST_F(CommandAnswer, is_what_the_program_writes_byte_by_byte) {
  const std::string prompt = "  line\n\tü $HOME `x`\n\n";

  EXPECT_EQ(ask_shell("cat", prompt)->text, prompt);
}

TEST_F(CommandAnswer, takes_prompts_and_answers_larger_than_a_pipe) {
  const std::string prompt(1024 * 1024, 'x');

  EXPECT_EQ(ask_shell("cat", prompt)->text, prompt);
}

TEST_F(CommandAnswer, may_come_without_the_prompt_being_read) {
  EXPECT_EQ(ask_shell("printf done", std::string(1024 * 1024, 'x'))->text, "done");
}

TEST_F(CommandAnswer, comes_from_a_program_that_is_told_the_model_and_little_else) {
  ::setenv("CARILLON_TEST_PRIVATE", "x", 1);

  EXPECT_EQ(ask_shell("printf %s \"$CARILLON_MODEL$CARILLON_TEST_PRIVATE\"")->text, "big");
}

TEST_F(CommandAnswer, fails_with_the_exit_code_and_the_last_words) {
  const ProviderResult result = ask_shell("echo out; echo 'no such model' >&2; exit 3");

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::permanent);
  EXPECT_EQ(result.error().message, "the program ended with exit code 3: no such model");
}

TEST_F(CommandAnswer, fails_for_a_while_by_exit_code_75_and_by_signals) {
  EXPECT_EQ(ask_shell("exit 75").error().kind, FailureClass::transient);
  EXPECT_EQ(ask_shell("kill -9 $$").error().kind, FailureClass::transient);
}

TEST_F(CommandAnswer, cannot_be_had_from_a_program_that_does_not_exist) {
  const ProviderResult result = ask({.argv = {"/nonexistent/program"}});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::hopeless);
  EXPECT_THAT(result.error().message, HasSubstr("No such file"));
}

/// Whether a process of this number is alive.
bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0; }

TEST_F(CommandAnswer, that_takes_too_long_ends_the_program_and_its_children) {
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

TEST_F(CommandAnswer, is_not_waited_for_after_a_stop) {
  std::stop_source source;
  std::jthread stopper{[&] { source.request_stop(); }};

  const ProviderResult result = ask_shell("exec sleep 1000", "hi", 1h, source.get_token());

  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is_cancelled);
}

TEST_F(CommandAnswer, has_a_largest_size) {
  const ProviderResult result = ask({.argv = {"sh", "-c", "yes"}, .answer_size_max = 100'000});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::answer);
}

TEST_F(CommandAnswer, never_shows_secrets_of_the_environment) {
  const CommandProviderOptions options{
      .argv = {"sh", "-c", "printf \"key is $KEY\"; echo \"bad $KEY\" >&2; exit $CODE"},
      .environment = {{"KEY", "${secret:ai}"}, {"CODE", "0"}},
      .secrets = [](std::string_view) { return Result<std::string>{"sk-very-secret"}; }};
  CommandProviderOptions failing = options;
  failing.environment["CODE"] = "3";

  EXPECT_EQ(ask(options)->text, "key is ***");
  EXPECT_EQ(ask(failing).error().message, "the program ended with exit code 3: bad ***");
}

TEST_F(CommandAnswer, comes_from_a_program_that_cannot_gain_privileges) {
  EXPECT_THAT(ask_shell("grep NoNewPrivs /proc/self/status")->text, HasSubstr("1"));
}

TEST_F(CommandAnswer, comes_from_a_program_that_is_alone_in_its_session_and_has_few_files) {
  EXPECT_EQ(ask_shell("[ $(ps -o sid= -p $$) = $$ ] && ls /proc/self/fd | wc -w")->text, "4\n");
}

TEST_F(CommandAnswer, leaves_nothing_behind) {
  const ProviderResult result = ask_shell("sleep 1000 & echo $!");

  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(is_alive(std::stoi(result->text)));
}

TEST_F(CommandAnswer, is_one_of_many_at_a_time) {
  std::vector<std::string> answers(20);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < answers.size(); ++i)
      threads.emplace_back(
          [&, i] { answers[i] = ask_shell("cat", std::to_string(i)).value_or(ProviderAnswer{}).text; });
  }

  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], std::to_string(i));
}

TEST_F(CommandAnswer, fails_for_a_while_when_the_launcher_is_gone) {
  ::kill(launcher_pid_, SIGKILL);

  const ProviderResult result = ask_shell("echo never");

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::transient);
}

}  // namespace
}  // namespace carillon::pipeline
