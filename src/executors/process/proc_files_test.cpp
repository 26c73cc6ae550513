#include "executors/process/proc_files.hpp"

#include "executors/process/command_test.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

class ProcFiles : public CommandTest {};

TEST_F(ProcFiles, one_who_becomes_another_program_is_never_said_to_bear_no_mark) {
  const AttemptKey key = launch(script("exec " + restless(folder_)));
  const pid_t pid = numbers_of(attempts_.await_output(key, "\n").out).at(0);
  int unsettled = 0;
  for (int look = 0; look < 1'000'000 && unsettled < 20; ++look) {
    const TagProbe reading = probe_tag(pid);
    ASSERT_TRUE(reading.tag || !reading.is_settled) << look;
    if (!reading.is_settled) ++unsettled;
  }

  // How often depends on how busy the machine is.
  EXPECT_GT(unsettled, 0) << "the moment in between was never met";
}

TEST_F(ProcFiles, who_was_started_without_any_environment_is_known_to_bear_no_mark) {
  const AttemptKey key = launch(script("exec env -i /bin/sh -c 'echo $$; exec /bin/sleep 1000'"));
  const pid_t pid = numbers_of(attempts_.await_output(key, "\n").out).at(0);
  // The shell may still be becoming the sleep.
  TagProbe reading = probe_tag(pid);
  while (!reading.is_settled) reading = probe_tag(pid);

  EXPECT_FALSE(reading.tag);
}

TEST_F(ProcFiles, who_is_not_there_bears_no_mark) {
  const TagProbe reading = probe_tag(1 << 30);

  EXPECT_FALSE(reading.tag);
  EXPECT_TRUE(reading.is_settled);
}

}  // namespace
}  // namespace carillon
