#include "service/progress_steps.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;

constexpr AttemptKey first_run{.run = Seq{1}, .attempt = 1};
constexpr AttemptKey second_run{.run = Seq{2}, .attempt = 1};

RunProgress done(std::int64_t count) { return {.phase = "map", .done = count}; }

TEST(ProgressSteps, tell_the_first_step_at_once) {
  ProgressSteps steps;
  steps.add({{first_run, done(1)}});

  const auto told = steps.take(ProgressSteps::Time{});

  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told.front().progress.done, 1);
  EXPECT_FALSE(steps.next());
}

TEST(ProgressSteps, tell_at_most_four_in_a_second_and_the_last_of_those_between) {
  ProgressSteps steps;
  ProgressSteps::Time now{};
  std::vector<std::int64_t> told;
  for (int i = 0; i <= 100; ++i, now += 10ms) {
    steps.add({{first_run, done(i)}});
    for (const AttemptProgress& step : steps.take(now)) told.push_back(step.progress.done);
  }

  EXPECT_EQ(told, (std::vector<std::int64_t>{0, 25, 50, 75, 100}));
}

TEST(ProgressSteps, wait_with_what_came_too_soon) {
  ProgressSteps steps;
  const ProgressSteps::Time start{};
  steps.add({{first_run, done(1)}});
  (void)steps.take(start);
  steps.add({{first_run, done(2)}});

  EXPECT_TRUE(steps.take(start + 100ms).empty());
  EXPECT_EQ(steps.next(), start + 250ms);
  EXPECT_EQ(steps.take(start + 250ms).size(), 1U);
}

TEST(ProgressSteps, keep_runs_apart) {
  ProgressSteps steps;
  const ProgressSteps::Time start{};
  steps.add({{first_run, done(1)}});
  (void)steps.take(start);
  steps.add({{first_run, done(2)}, {second_run, done(7)}});

  const auto told = steps.take(start + 10ms);

  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told.front().key, second_run);
}

}  // namespace
}  // namespace carillon
