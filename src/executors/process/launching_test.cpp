#include "executors/process/command_test.hpp"
#include "support/manual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

namespace carillon {
namespace {

using testing::HasSubstr;

class Launching : public CommandTest {};

TEST_F(Launching, a_command_that_exits_with_zero_has_succeeded) {
  const Performed performed = perform(command({"/bin/true"}));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::succeeded);
  EXPECT_EQ(performed.end.exit_code, 0);
  EXPECT_EQ(performed.end.signal, std::nullopt);
  EXPECT_EQ(performed.end.error, "");
  EXPECT_TRUE(performed.is_launched);
}

TEST_F(Launching, another_exit_code_is_a_failure_that_names_it) {
  const Performed performed = perform(script("exit 7"));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::failed);
  EXPECT_EQ(performed.end.exit_code, 7);
  EXPECT_EQ(performed.end.error, "exited with 7");
}

TEST_F(Launching, an_end_by_a_signal_is_a_failure_that_names_it) {
  const Performed performed = perform(script("kill -SEGV $$"));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::failed);
  EXPECT_EQ(performed.end.exit_code, std::nullopt);
  EXPECT_EQ(performed.end.signal, SIGSEGV);
  EXPECT_EQ(performed.end.error, "ended by SIGSEGV");
}

TEST_F(Launching, what_the_machine_spent_is_told) {
  const Performed performed = perform(script("i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"));

  ASSERT_TRUE(performed.end.use);
  EXPECT_GT(performed.end.use->user_time, Duration::zero());
  EXPECT_GT(performed.end.use->memory_max, 100 * 1024);
}

TEST_F(Launching, arguments_reach_the_program_as_they_are) {
  const Performed performed = perform(command(
      {"/usr/bin/printf", "[%s]", "$(id)", "; id", "--opt=@/etc/passwd", "", "two words", "*", "\"'\\", "zwölf\n"}));

  EXPECT_EQ(performed.out, "[$(id)][; id][--opt=@/etc/passwd][][two words][*][\"'\\][zwölf\n]");
}

TEST_F(Launching, a_shell_reads_the_command_only_if_asked_for) {
  const Performed performed = perform(script("echo $((6 * 7)); echo beside >&2"));

  EXPECT_EQ(performed.out, "42\n");
  EXPECT_EQ(performed.error, "beside\n");
}

TEST_F(Launching, a_program_is_found_by_the_path_that_it_gets) {
  folder_.write("tools/greet", "#!/bin/sh\necho hello\n");
  ASSERT_EQ(::chmod((folder_.path() / "tools/greet").c_str(), 0755), 0);
  CommandAction action = command({"greet"});
  action.env["PATH"] = "/nowhere:" + (folder_.path() / "tools").native() + ":/bin";

  EXPECT_EQ(perform(action).out, "hello\n");
}

TEST_F(Launching, an_argument_longer_than_a_socket_holds_arrives_whole) {
  const std::string text(130'000, 'x');
  const Performed performed = perform(command({"/usr/bin/printf", "%s", text, text, text}));

  EXPECT_EQ(performed.out, text + text + text);
}

TEST_F(Launching, more_arguments_than_linux_takes_are_a_failure) {
  std::vector<std::string> argv(900, std::string(10'000, 'x'));
  argv[0] = "/bin/true";
  const Performed performed = perform(command(argv));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::failed);
  EXPECT_THAT(performed.end.error, HasSubstr("bytes together"));
}

struct CannotStart {
  std::string program;
  std::string error;
};

class WhatCannotBeStarted : public CommandTest, public testing::WithParamInterface<CannotStart> {};

TEST_P(WhatCannotBeStarted, is_a_failure_without_exit_code_that_says_why) {
  folder_.write("text", "no program\n");
  folder_.write("plain", "#!/bin/sh\n");
  folder_.write("no_interpreter", "#!/nowhere/sh\n");
  for (const char* name : {"text", "no_interpreter"}) ASSERT_EQ(::chmod((folder_.path() / name).c_str(), 0755), 0);
  std::string program = GetParam().program;
  if (const auto at = program.find('@'); at == 0) program.replace(0, 1, folder_.path().native());
  const Performed performed = perform(command({program}));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::failed);
  EXPECT_EQ(performed.end.exit_code, std::nullopt);
  EXPECT_FALSE(performed.is_launched);
  EXPECT_THAT(performed.end.error, HasSubstr("cannot start \""));
  EXPECT_THAT(performed.end.error, HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(Programs, WhatCannotBeStarted,
                         testing::Values(CannotStart{"/no/such/program", "No such file or directory"},
                                         CannotStart{"no-such-program", "No such file or directory"},
                                         CannotStart{"@/plain", "Permission denied"},
                                         CannotStart{"@/text", "Exec format error"},
                                         CannotStart{"@/no_interpreter", "No such file or directory"},
                                         CannotStart{"@", "Permission denied"}));

TEST_F(Launching, what_this_process_lacks_files_for_is_postponed_and_no_failure_of_the_command) {
  // Afterwards its thread has the files that it needs itself.
  perform(command({"/bin/true"}));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Performed postponed = perform(command({"/bin/true"}));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);

  EXPECT_TRUE(may_be_launched_again(postponed.end));
  EXPECT_TRUE(postponed.end.retry_after);
  EXPECT_FALSE(postponed.is_launched);
  EXPECT_EQ(perform(command({"/bin/true"})).end.outcome, AttemptOutcome::succeeded);
}

TEST_F(Launching, nothing_is_begun_after_the_time_for_it) {
  Assignment late = assignment(script("touch " + (folder_.path() / "begun").native()));
  late.launch_before = boot_now() - Duration{1};
  const Performed performed = perform(std::move(late));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::released);
  EXPECT_FALSE(may_be_launched_again(performed.end));
  EXPECT_FALSE(performed.is_launched);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "begun"));
}

TEST_F(Launching, the_launcher_refuses_what_is_too_late_whatever_the_server_believes) {
  ManualClock stopped_clock;
  executor_ = std::make_unique<ProcessExecutor>(stopped_clock, attempts_, start_launcher().value());
  Assignment late = assignment(script("touch " + (folder_.path() / "begun").native()));
  late.launch_before = Duration{1};
  const Performed performed = perform(std::move(late));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::released);
  EXPECT_FALSE(may_be_launched_again(performed.end));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "begun"));
  executor_.reset();
}

TEST_F(Launching, two_hundred_commands_at_once_each_end_once_with_their_own_code) {
  const auto launch_number = [this](int i) {
    return launch(script("echo " + std::to_string(i) + "; exit " + std::to_string(i)));
  };
  std::vector<AttemptKey> keys;
  for (int i = 0; i < 200; ++i) keys.push_back(launch_number(i));

  for (int i = 0; i < 200; ++i) {
    Performed performed = await_end(keys[static_cast<std::size_t>(i)]);
    // On a busy machine some come too late to be begun, and may be launched again.
    while (may_be_launched_again(performed.end)) performed = await_end(launch_number(i));
    EXPECT_EQ(performed.end.exit_code, i) << performed.end.error;
    EXPECT_EQ(performed.out, std::to_string(i) + "\n");
  }
}

}  // namespace
}  // namespace carillon
