#include "executors/process/control_groups.hpp"

#include "executors/process/command_test.hpp"
#include "executors/process/launcher_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <csignal>

namespace carillon {
namespace {

using testing::Each;
using testing::ResultOf;
using testing::SizeIs;

/// A group for the tests below our own, gone when they end.
class ControlGroupTest : public CommandTest {
 protected:
  void SetUp() override {
    const auto own = own_control_group();
    if (!own) GTEST_SKIP() << "needs a control group (version 2) that may be written";
    group_ = *own / ("carillon-test-" + std::to_string(::getpid()));
    std::error_code error;
    if (!std::filesystem::create_directory(group_, error)) GTEST_SKIP() << error.message();
    if (auto groups = ControlGroups::open(group_, "probe"); !groups) {
      std::filesystem::remove(group_, error);
      GTEST_SKIP() << groups.error().message;
    } else {
      groups->remove_all();
    }
  }
  void TearDown() override {
    executor_.reset();
    if (group_.empty()) return;
    EXPECT_TRUE(folders().empty());
    std::error_code error;
    std::filesystem::remove(group_, error);
  }

  [[nodiscard]] LauncherOptions with_group() const {
    return {.lock_file = folder_.path() / "launcher.lock",
            .control_group = group_,
            .grace = std::chrono::milliseconds{100}};
  }

  [[nodiscard]] std::vector<std::string> folders() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{group_}) {
      if (entry.is_directory()) names.push_back(entry.path().filename());
    }
    return names;
  }

  std::filesystem::path group_;
};

TEST_F(ControlGroupTest, a_command_has_a_group_of_its_own_that_ends_with_it) {
  begin(with_group());
  const Performed performed = perform(command({"/bin/cat", "/proc/self/cgroup"}));

  EXPECT_TRUE(performed.out.contains("/launch-1\n")) << performed.out;
  EXPECT_EQ(performed.end.outcome, AttemptOutcome::succeeded);
  perform(command({"/bin/true"}));
  EXPECT_EQ(perform(command({"/no/such/program"})).end.outcome, AttemptOutcome::failed);
  EXPECT_THAT(folders(), SizeIs(1));
}

TEST_F(ControlGroupTest, one_who_shed_everything_still_ends_with_its_attempt) {
  begin(with_group());
  const AttemptKey older = launch(script("echo begun; exec sleep 1000"));
  attempts_.await_output(older, "begun");
  const std::filesystem::path ready = folder_.path() / "ready";
  const Performed performed = perform(script("(setsid env -i /bin/sh -c 'echo $$; /bin/touch " + ready.native() +
                                             "; exec /bin/sleep 1000' &); " + until_there(ready)));

  EXPECT_THAT(numbers_of(performed.out), SizeIs(1));
  EXPECT_THAT(numbers_of(performed.out), Each(ResultOf(is_there, false)));
}

TEST_F(ControlGroupTest, a_flood_of_processes_is_ended_in_one_step) {
  begin(with_group());
  const AttemptKey key =
      launch(script("i=0; while [ $i -lt 100 ]; do setsid env -i /bin/sh -c '/bin/sleep 1000 & /bin/sleep 1000' & "
                    "i=$((i + 1)); done; echo many; wait"));
  attempts_.await_output(key, "many");
  executor().stop(key, Stop::terminate);

  EXPECT_EQ(await_end(key).end.outcome, AttemptOutcome::cancelled);
  EXPECT_THAT(folders(), SizeIs(1));
}

TEST_F(ControlGroupTest, who_takes_the_lock_ends_what_a_killed_launcher_left) {
  const std::filesystem::path pid_file = folder_.path() / "pid";
  const pid_t server = ::fork();
  if (server == 0) {
    begin(with_group());
    const AttemptKey key =
        launch(script("(setsid env -i /bin/sh -c 'echo $$ > " + pid_file.native() + "; exec /bin/sleep 1000' &); " +
                      until_written(pid_file) + "; echo begun; exec sleep 1000"));
    attempts_.await_output(key, "begun");
    ::kill(launcher_pid_, SIGKILL);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(server, nullptr, 0);
  const auto pids = numbers_of(text_of_file(pid_file));
  ASSERT_THAT(pids, SizeIs(1));
  const FileDescriptor escaped = open_process(pids[0]);
  ASSERT_TRUE(wait_until_gone(with_group().lock_file, patience));
  EXPECT_TRUE(is_there(pids[0]));

  begin(with_group());
  EXPECT_TRUE(is_gone_soon(escaped));
}

TEST(ControlGroups, a_folder_without_control_groups_is_refused) {
  const TemporaryFolder folder;

  EXPECT_FALSE(ControlGroups::open(folder.path(), "groups"));
  EXPECT_FALSE(ControlGroups::open(folder.path() / "none", "groups"));
  EXPECT_FALSE(start_launcher({.control_group = folder.path()}));
}

TEST(ControlGroups, none_are_in_use_unless_asked_for) {
  const ControlGroups groups;

  EXPECT_FALSE(groups.make(LaunchId{1})->is_open());
  EXPECT_EQ(groups.launch_in("0::/a/launch-1"), std::nullopt);
}

}  // namespace
}  // namespace carillon
