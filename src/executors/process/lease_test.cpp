#include "executors/process/command_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

namespace carillon {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::ResultOf;

using std::chrono::hours;
using std::chrono::milliseconds;

class Lease : public CommandTest {};

TEST_F(Lease, what_still_runs_at_its_end_is_ended_by_force) {
  const AttemptKey key =
      launch(script("trap '' TERM; echo $$; setsid sh -c 'echo $$; exec sleep 1000' & while :; do sleep 1; done"));
  const auto pids =
      numbers_of(attempts_.await(key, [](const auto& record) { return numbers_of(record.out).size() == 2; }).out);
  executor().extend_until(boot_now() + milliseconds{50});
  const Performed performed = await_end(key);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::lost);
  EXPECT_THAT(performed.end.error, HasSubstr("lease"));
  EXPECT_THAT(pids, Each(ResultOf(is_there, false)));
}

TEST_F(Lease, what_is_on_its_way_to_become_a_program_at_its_end_is_lost_too) {
  const auto program = folder_.path() / "program";
  std::filesystem::copy_file("/bin/true", program);
  // Whoever opens the file now, to run it also, waits until it is given back; and we are not to be told by a signal.
  ASSERT_NE(::signal(SIGIO, SIG_IGN), SIG_ERR);
  const FileDescriptor held{::open(program.c_str(), O_RDONLY | O_CLOEXEC)};
  if (::fcntl(held.get(), F_SETLEASE, F_WRLCK) != 0)
    GTEST_SKIP() << "no leases of files here: " << std::strerror(errno);
  executor().extend_until(boot_now() + hours{1});
  const AttemptKey key = launch(command({program.native()}));
  while (::fcntl(held.get(), F_GETLEASE) == F_WRLCK) std::this_thread::yield();

  executor().extend_until(boot_now());
  const Performed performed = await_end(key);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::lost);
  EXPECT_THAT(performed.end.error, HasSubstr("lease"));
}

TEST_F(Lease, nothing_is_begun_after_its_end_until_there_is_a_new_one) {
  executor().extend_until(boot_now() - Duration{1});
  EXPECT_EQ(perform(command({"/bin/true"})).end.outcome, AttemptOutcome::released);

  executor().extend_until(boot_now() + hours{1});
  EXPECT_EQ(perform(command({"/bin/true"})).end.outcome, AttemptOutcome::succeeded);
}

TEST_F(Lease, one_that_is_extended_in_time_ends_nothing) {
  executor().extend_until(boot_now() + hours{1});
  const AttemptKey key =
      launch(script("echo begun; until [ -e " + (folder_.path() / "go").native() + " ]; do sleep 0.01; done"));
  attempts_.await_output(key, "begun");
  const Duration first_end = boot_now() + milliseconds{500};
  executor().extend_until(first_end);
  executor().extend_until(boot_now() + hours{1});
  // Another command marks that the first end has passed.
  perform(script("while read -r up rest < /proc/uptime && [ ${up%.*} -le " +
                 std::to_string(std::chrono::floor<std::chrono::seconds>(first_end).count()) +
                 " ]; do sleep 0.05; done"));
  folder_.write("go", "");

  EXPECT_EQ(await_end(key).end.outcome, AttemptOutcome::succeeded);
}

}  // namespace
}  // namespace carillon
