#include "executors/process/process_tracker.hpp"

#include "executors/process/command_test.hpp"

#include <gtest/gtest.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace carillon {
namespace {

const LaunchTag tag{.run = "r-1", .attempt = "1"};

/// Takes up orphans as the launcher does.
class ProcessTrackerTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
  void TearDown() override {
    for (const pid_t pid : orphans_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  /// A program that has ended and left one behind, in a session of its own, which bears its mark. The program's number.
  pid_t leave_one_behind() {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    const pid_t program = ::fork();
    if (program == 0) {
      ::dup2(pipe[1], STDOUT_FILENO);
      ::setenv("CARILLON_RUN_ID", tag.run.c_str(), 1);
      ::setenv("CARILLON_ATTEMPT", tag.attempt.c_str(), 1);
      ::execl("/bin/sh", "sh", "-c", "setsid sh -c 'echo $$; exec >&-; exec sleep 1000' &", nullptr);
      ::_exit(127);
    }
    ::close(pipe[1]);
    std::string text;
    std::array<char, 64> bytes{};
    while (!text.contains('\n')) {
      const ssize_t count = ::read(pipe[0], bytes.data(), bytes.size());
      if (count <= 0) break;
      text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    ::close(pipe[0]);
    orphans_.push_back(static_cast<pid_t>(std::stol(text)));
    EXPECT_EQ(::waitpid(program, nullptr, 0), program);
    return program;
  }
  /// Until it is known whose everyone is.
  void look() {
    do processes_.refresh();
    while (processes_.is_unsure());
  }

  ControlGroups groups_;
  ProcessTracker processes_{groups_};
  std::vector<pid_t> orphans_;
};

TEST_F(ProcessTrackerTest, an_orphan_belongs_to_the_launch_whose_mark_it_bears) {
  const LaunchId id{7};
  const pid_t program = leave_one_behind();
  processes_.add(id, program, tag);
  look();

  EXPECT_TRUE(processes_.has_orphans_of(id));
  EXPECT_FALSE(processes_.has_orphans_of(LaunchId{8}));
}

TEST_F(ProcessTrackerTest, an_orphan_that_was_seen_before_its_launch_was_known_belongs_to_it) {
  const LaunchId id{7};
  const pid_t program = leave_one_behind();
  look();
  ASSERT_TRUE(processes_.has_orphans());
  ASSERT_FALSE(processes_.has_orphans_of(id));

  processes_.add(id, program, tag);
  look();

  EXPECT_TRUE(processes_.has_orphans_of(id));
}

}  // namespace
}  // namespace carillon
