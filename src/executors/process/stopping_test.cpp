#include "executors/process/command_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace carillon {
namespace {

using testing::Each;
using testing::ResultOf;
using testing::SizeIs;

class Stopping : public CommandTest {
 protected:
  /// The processes that a script has told of, one number each, when there are so many.
  std::vector<pid_t> await_processes(const AttemptKey& key, std::size_t count) {
    return numbers_of(
        attempts_.await(key, [&](const auto& record) { return numbers_of(record.out).size() >= count; }).out);
  }
};

TEST_F(Stopping, cancel_asks_the_command_to_end) {
  const AttemptKey key = launch(script("echo begun; exec sleep 1000"));
  attempts_.await_output(key, "begun");
  executor().stop(key, Stop::cancel);
  const Performed performed = await_end(key);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::cancelled);
  EXPECT_EQ(performed.end.signal, SIGTERM);
}

TEST_F(Stopping, a_command_may_end_in_its_own_way_when_asked) {
  const AttemptKey key = launch(script("trap 'echo tidy; exit 0' TERM; echo begun; while :; do sleep 0.01; done"));
  attempts_.await_output(key, "begun");
  executor().stop(key, Stop::cancel);
  const Performed performed = await_end(key);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::cancelled);
  EXPECT_EQ(performed.end.exit_code, 0);
  EXPECT_EQ(performed.out, "begun\ntidy\n");
}

TEST_F(Stopping, cancel_reaches_the_whole_group) {
  const AttemptKey key = launch(script("sleep 1000 & echo $!; wait"));
  const auto pids = await_processes(key, 1);
  executor().stop(key, Stop::cancel);
  await_end(key);

  EXPECT_THAT(pids, Each(ResultOf(is_there, false)));
}

TEST_F(Stopping, a_command_that_is_halted_hears_of_its_end) {
  const AttemptKey key = launch(script("echo begun; kill -STOP $$"));
  attempts_.await_output(key, "begun");
  executor().stop(key, Stop::cancel);

  EXPECT_EQ(await_end(key).end.outcome, AttemptOutcome::cancelled);
}

TEST_F(Stopping, terminate_ends_a_command_that_does_not_want_to) {
  const AttemptKey key = launch(script("trap 'echo no' TERM; echo begun; while :; do sleep 0.01; done"));
  attempts_.await_output(key, "begun");
  executor().stop(key, Stop::cancel);
  attempts_.await_output(key, "no");
  executor().stop(key, Stop::terminate);
  const Performed performed = await_end(key);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::cancelled);
  EXPECT_EQ(performed.end.signal, SIGKILL);
}

TEST_F(Stopping, terminate_ends_those_who_left_the_group_and_forgot_where_they_came_from) {
  // One in the group; one in a session of its own; one that has also shed its environment, below a living parent; and
  // the same as orphans.
  const AttemptKey key =
      launch(script("sleep 1000 & echo $!; setsid sh -c 'echo $$; exec sleep 1000' & "
                    "setsid env -i sh -c 'echo $$; sleep 1000; :' & "
                    "(setsid sh -c 'echo $$; exec sleep 1000' &); echo $$; exec sleep 1000"));
  const auto pids = await_processes(key, 5);
  EXPECT_THAT(pids, Each(ResultOf(is_there, true)));
  executor().stop(key, Stop::terminate);
  await_end(key);

  EXPECT_THAT(pids, SizeIs(5));
  EXPECT_THAT(pids, Each(ResultOf(is_there, false)));
}

TEST_F(Stopping, an_attempt_that_has_ended_leaves_nothing_behind) {
  const Performed performed =
      perform(script("sleep 1000 & echo $!; setsid sleep 1000 & echo $!; (setsid sleep 1000 & echo $!)"));
  const auto pids = numbers_of(performed.out);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::succeeded);
  EXPECT_THAT(pids, SizeIs(3));
  EXPECT_THAT(pids, Each(ResultOf(is_there, false)));
}

TEST_F(Stopping, what_is_left_behind_is_asked_to_end) {
  begin({.grace = std::chrono::hours{1}});
  const std::filesystem::path ready = folder_.path() / "ready";
  const Performed performed = perform(script("setsid sh -c 'trap \"echo tidy; exit\" TERM; touch " + ready.native() +
                                             "; while :; do sleep 0.01; done' & " + until_there(ready)));

  EXPECT_EQ(performed.out, "tidy\n");
}

TEST_F(Stopping, what_is_left_behind_and_does_not_listen_is_ended_by_force) {
  const std::filesystem::path ready = folder_.path() / "ready";
  const Performed performed = perform(script("setsid sh -c 'trap \"\" TERM; echo $$; touch " + ready.native() +
                                             "; while :; do sleep 0.01; done' & " + until_there(ready)));

  EXPECT_THAT(numbers_of(performed.out), SizeIs(1));
  EXPECT_THAT(numbers_of(performed.out), Each(ResultOf(is_there, false)));
}

TEST_F(Stopping, a_chain_of_those_who_left_is_ended_to_the_last) {
  // Each link starts the next in a session of its own and stays.
  folder_.write("link", "echo $$; if [ $1 -gt 0 ]; then setsid sh " + (folder_.path() / "link").native() +
                            " $(($1 - 1)) & fi; sleep 1000; :\n");
  const AttemptKey key = launch(script("setsid sh " + (folder_.path() / "link").native() + " 5 & exec sleep 1000"));
  const auto pids = await_processes(key, 6);
  executor().stop(key, Stop::cancel);
  await_end(key);

  EXPECT_THAT(pids, Each(ResultOf(is_there, false)));
}

TEST_F(Stopping, one_who_shed_everything_is_ended_when_no_attempt_can_have_started_it) {
  const AttemptKey older = launch(script("echo begun; exec sleep 1000"));
  attempts_.await_output(older, "begun");
  const std::filesystem::path ready = folder_.path() / "ready";
  const Performed performed = perform(script("(setsid env -i /bin/sh -c 'echo $$; /bin/touch " + ready.native() +
                                             "; exec /bin/sleep 1000' &); " + until_there(ready)));
  const auto strays = numbers_of(performed.out);
  ASSERT_THAT(strays, SizeIs(1));
  const FileDescriptor stray = open_process(strays[0]);

  // Until now the older attempt might have started it, unless it was seen before it had shed everything.
  executor().stop(older, Stop::terminate);
  await_end(older);
  EXPECT_TRUE(is_gone_soon(stray));
}

TEST_F(Stopping, one_who_is_just_becoming_another_program_is_not_taken_for_a_stray) {
  // While an older attempt runs a stray would stay.
  const AttemptKey older = launch(script("echo begun; exec sleep 1000"));
  attempts_.await_output(older, "begun");
  const std::filesystem::path enough = folder_.path() / "enough";
  const AttemptKey key =
      launch(script("for i in 1 2 3 4 5 6 7 8; do (setsid " + restless(folder_) + " &); done; " + until_there(enough)));
  const auto pids = await_processes(key, 8);
  folder_.write("enough", "");
  await_end(key);

  EXPECT_THAT(pids, Each(ResultOf(is_there, false)));
}

TEST_F(Stopping, one_who_made_itself_a_sibling_of_the_command_is_ended_when_nothing_runs) {
  const std::filesystem::path program = folder_.path() / "sibling.py";
  folder_.write("sibling.py", R"(
import ctypes, os, signal
clone_parent = 0x8000
clone = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
pid = ctypes.CDLL(None).syscall(clone, clone_parent | signal.SIGCHLD, 0, 0, 0, 0)
if pid == 0:
    os.setsid()
    os.execv("/bin/sleep", ["sleep", "1000"])
print(pid, flush=True)
)");
  const Performed performed = perform(command({"/usr/bin/python3", program}));
  const auto siblings = numbers_of(performed.out);
  ASSERT_THAT(siblings, SizeIs(1)) << performed.error;
  const FileDescriptor sibling = open_process(siblings[0]);

  EXPECT_TRUE(is_gone_soon(sibling));
}

TEST_F(Stopping, the_daemons_of_others_are_left_alone) {
  const AttemptKey other = launch(script("(setsid sleep 1000 & echo $!); exec sleep 1000"));
  const auto pids = await_processes(other, 1);
  perform(script("setsid sleep 1000 &"));
  const AttemptKey third = launch(script("echo begun; setsid sleep 1000 & exec sleep 1000"));
  attempts_.await_output(third, "begun");
  executor().stop(third, Stop::terminate);
  await_end(third);

  EXPECT_THAT(pids, Each(ResultOf(is_there, true)));
  executor().stop(other, Stop::terminate);
  await_end(other);
  EXPECT_THAT(pids, Each(ResultOf(is_there, false)));
}

TEST_F(Stopping, an_attempt_that_has_ended_cannot_be_stopped) {
  const AttemptKey key = launch(command({"/bin/true"}));
  await_end(key);
  executor().stop(key, Stop::terminate);
  executor().stop(AttemptKey{.run = Seq{999}, .attempt = 9}, Stop::cancel);

  EXPECT_EQ(perform(command({"/bin/true"})).end.outcome, AttemptOutcome::succeeded);
  EXPECT_EQ(await_end(key).end.outcome, AttemptOutcome::succeeded);
}

TEST_F(Stopping, a_request_to_stop_that_follows_a_launch_at_once_is_not_lost) {
  std::vector<AttemptKey> keys;
  for (int i = 0; i < 60; ++i) {
    keys.push_back(launch(command({"/bin/sleep", "1000"})));
    executor().stop(keys.back(), i % 2 == 0 ? Stop::cancel : Stop::terminate);
  }

  for (const AttemptKey& key : keys) EXPECT_EQ(await_end(key).end.outcome, AttemptOutcome::cancelled);
}

TEST_F(Stopping, an_executor_that_is_destroyed_leaves_nothing_behind) {
  const AttemptKey key = launch(script(
      "trap '' TERM; echo $$; setsid sleep 1000 & echo $!; (setsid sleep 1000 & echo $!); while :; do sleep 1; done"));
  const auto pids = await_processes(key, 3);
  executor_.reset();

  EXPECT_THAT(pids, Each(ResultOf(is_there, false)));
  EXPECT_FALSE(is_there(launcher_pid_));
}

}  // namespace
}  // namespace carillon
