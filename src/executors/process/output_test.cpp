#include "executors/process/command_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

class Output : public CommandTest {};

TEST_F(Output, fifty_megabytes_come_through_without_loss) {
  const AttemptKey key = launch(script("seq 1 6700000"));
  const Performed performed = await_end(key);

  std::size_t position = 0;
  for (int i = 1; i <= 6'700'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    ASSERT_EQ(performed.out.compare(position, line.size(), line), 0) << i;
    position += line.size();
  }
  EXPECT_EQ(position, performed.out.size());
  EXPECT_GT(position, 50'000'000U);
}

TEST_F(Output, both_streams_are_told_apart) {
  const Performed performed = perform(script("echo one; echo two >&2; echo three"));

  EXPECT_EQ(performed.out, "one\nthree\n");
  EXPECT_EQ(performed.error, "two\n");
}

TEST_F(Output, it_comes_while_the_command_runs) {
  const AttemptKey key = launch(script("echo begun; exec sleep 1000"));

  attempts_.await_output(key, "begun\n");
  executor().stop(key, Stop::terminate);
  await_end(key);
}

TEST_F(Output, one_who_never_stops_talking_does_not_keep_others_from_being_heard) {
  attempts_.keep_no_output();
  std::vector<AttemptKey> talkers;
  for (int i = 0; i < 3; ++i) talkers.push_back(launch(command({"/usr/bin/yes", "and so on"})));
  for (const AttemptKey& key : talkers) {
    attempts_.await(key, [](const auto& record) { return record.byte_count > 100'000; });
  }

  for (int i = 0; i < 10; ++i) {
    const AttemptKey key = launch(script("echo here"));
    EXPECT_EQ(await_end(key).end.outcome, AttemptOutcome::succeeded);
  }
  for (const AttemptKey& key : talkers) executor().stop(key, Stop::cancel);
  for (const AttemptKey& key : talkers) EXPECT_EQ(await_end(key).end.outcome, AttemptOutcome::cancelled);
}

TEST_F(Output, what_a_command_left_behind_says_at_its_end_is_heard) {
  begin({.grace = std::chrono::hours{1}});
  const std::filesystem::path ready = folder_.path() / "ready";
  const Performed performed =
      perform(script("(trap 'echo last words; exit' TERM; touch " + ready.native() +
                     "; while :; do sleep 0.01; done) & " + until_there(ready) + "; echo done"));

  EXPECT_EQ(performed.out, "done\nlast words\n");
}

TEST_F(Output, an_open_pipe_does_not_keep_an_attempt_from_ending) {
  const AttemptKey older = launch(script("echo begun; exec sleep 1000"));
  attempts_.await_output(older, "begun");
  // It has left everything but the pipe behind, and the older attempt might have started it.
  const std::filesystem::path ready = folder_.path() / "ready";
  const Performed performed = perform(script("(setsid env -i /bin/sh -c '/bin/touch " + ready.native() +
                                             "; exec /bin/sleep 1000' &); " + until_there(ready)));

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::succeeded);
  executor().stop(older, Stop::terminate);
  await_end(older);
}

TEST_F(Output, a_command_that_closes_its_output_goes_on) {
  const Performed performed = perform(script("exec >&- 2>&-; exit 3"));

  EXPECT_EQ(performed.end.exit_code, 3);
}

}  // namespace
}  // namespace carillon
