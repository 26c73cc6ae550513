#include "runtime/running_attempts.hpp"
#include "support/manual_clock.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace carillon {
namespace {

class UnreadLog final : public Log {
 public:
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

struct ProgressOfAttempts : ::testing::Test {
  /// An attempt that its executor performs.
  void launch(const AttemptKey& key) {
    RunningAttempt attempt{.claimed = ClaimedRun{}};
    attempt.claimed.row.seq = key.run;
    attempt.claimed.row.run.attempt = key.attempt;
    attempt.state = RunningAttempt::State::launching;
    attempts.access()->emplace(key, std::move(attempt));
  }

  ManualClock clock;
  UnreadLog log;
  RunningAttempts attempts{clock, log};
  const AttemptKey first{.run = Seq{1}, .attempt = 1};
  const AttemptKey second{.run = Seq{2}, .attempt = 3};
};

TEST_F(ProgressOfAttempts, is_the_step_that_was_told_last) {
  launch(first);
  launch(second);

  attempts.progress(first, {.phase = "map", .done = 1});
  attempts.progress(first, {.phase = "map", .done = 2});

  EXPECT_EQ(attempts.progress_of(Seq{1}).value().done, 2);
  EXPECT_FALSE(attempts.progress_of(Seq{2}));
  EXPECT_FALSE(attempts.progress_of(Seq{3}));
}

TEST_F(ProgressOfAttempts, is_told_once_to_each_who_asks_what_has_changed) {
  launch(first);
  launch(second);
  std::uint64_t one = 0;
  std::uint64_t other = 0;
  attempts.progress(first, {.done = 1});
  EXPECT_EQ(attempts.changed_since(one).size(), 1U);
  attempts.progress(second, {.done = 5});

  const auto changed = attempts.changed_since(one);

  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed.front().key, second);
  EXPECT_TRUE(attempts.changed_since(one).empty());
  EXPECT_EQ(attempts.changed_since(other).size(), 2U);
}

TEST_F(ProgressOfAttempts, of_an_attempt_that_is_not_under_way_is_not_known) {
  attempts.progress(first, {.done = 1});
  launch(second);
  attempts.progress(second, {.done = 1});
  attempts.access()->at(second).state = RunningAttempt::State::ended;
  attempts.progress(second, {.done = 2});

  std::uint64_t mark = 0;
  EXPECT_TRUE(attempts.changed_since(mark).empty());
  EXPECT_FALSE(attempts.progress_of(Seq{1}));
  EXPECT_FALSE(attempts.progress_of(Seq{2}));
}

TEST_F(ProgressOfAttempts, calls_whoever_listens) {
  launch(first);
  int count = 0;
  auto listening = attempts.listen([&] { ++count; });
  attempts.progress(first, {.done = 1});
  listening.reset();
  attempts.progress(first, {.done = 2});

  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace carillon
