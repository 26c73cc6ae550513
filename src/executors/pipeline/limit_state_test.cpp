#include "executors/pipeline/limit_state.hpp"

#include "executors/pipeline/spending.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::pipeline {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(ProviderLimit, lets_no_more_questions_through_at_once_than_it_may) {
  LimitState state{{.concurrency = 2}};
  const auto first = state.take(0s, 1);
  ASSERT_TRUE(first.slot && state.take(0s, 1).slot);

  EXPECT_FALSE(state.take(0s, 1).slot);
  state.give_back_success(*first.slot, {});
  EXPECT_TRUE(state.take(0s, 1).slot);
}

TEST(ProviderLimit, holds_requests_of_any_minute_below_their_number) {
  LimitState state{{.concurrency = 9, .requests_per_minute = 2}};
  ASSERT_TRUE(state.take(10s, 1).slot);
  ASSERT_TRUE(state.take(40s, 1).slot);

  EXPECT_EQ(state.take(50s, 1).wait.until, 70s);
  EXPECT_TRUE(state.take(70s, 1).slot);
  EXPECT_EQ(state.take(70s, 1).wait.until, 100s);
}

TEST(ProviderLimit, corrects_expected_tokens_by_those_that_were_used) {
  LimitState state{{.concurrency = 9, .tokens_per_minute = 100}};
  const auto first = state.take(0s, 90);
  ASSERT_TRUE(first.slot);
  EXPECT_EQ(state.take(1s, 20).wait.until, 60s);

  state.give_back_success(*first.slot, 10);

  EXPECT_TRUE(state.take(1s, 20).slot);
}

TEST(ProviderLimit, lets_a_question_that_is_larger_than_a_minute_through_alone) {
  LimitState state{{.concurrency = 9, .tokens_per_minute = 100}};

  EXPECT_TRUE(state.take(0s, 500).slot);
  EXPECT_EQ(state.take(1s, 1).wait.until, 60s);
}

TEST(ProviderLimit, pauses_a_provider_that_has_too_many_and_halves_once_for_all_under_way) {
  LimitState state{{.concurrency = 8}};
  std::vector<QuestionSlot> slots;
  for (int i = 0; i < 8; ++i) slots.push_back(*state.take(0s, 1).slot);

  for (const QuestionSlot& slot : slots) state.give_back_refused(slot, 1s, 30s);

  EXPECT_EQ(state.concurrency(), 4);
  EXPECT_EQ(state.take(30s, 1).wait.until, 31s);
  EXPECT_TRUE(state.take(31s, 1).slot);
}

TEST(ProviderLimit, waits_longer_each_time_when_the_provider_does_not_say_how_long) {
  LimitState state{{.concurrency = 1}};
  state.give_back_refused(*state.take(0s, 1).slot, 0s, {});
  EXPECT_EQ(state.paused_until(), 1s);
  state.give_back_refused(*state.take(1s, 1).slot, 1s, {});
  EXPECT_EQ(state.paused_until(), 3s);
}

TEST(ProviderLimit, grows_back_by_one_with_each_round_that_succeeds) {
  LimitState state{{.concurrency = 4}};
  state.give_back_refused(*state.take(0s, 1).slot, 0s, 0s);
  ASSERT_EQ(state.concurrency(), 2);

  for (int i = 0; i < 2; ++i) state.give_back_success(*state.take(1s, 1).slot, {});
  EXPECT_EQ(state.concurrency(), 3);
  for (int i = 0; i < 20; ++i) state.give_back_success(*state.take(1s, 1).slot, {});
  EXPECT_EQ(state.concurrency(), 4);
}

TEST(RunBudget, counts_questions_under_way_before_they_are_answered) {
  Spending spending{{.calls = {}, .tokens = 100, .cost = {}}, {}};
  ASSERT_TRUE(spending.reserve({.tokens = 60}));

  const auto second = spending.reserve({.tokens = 60});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().rule, "budget");
  EXPECT_THAT(second.error().message, HasSubstr("maxTokens: 100"));

  spending.settle({.tokens = 60}, {.input_tokens = 10, .output_tokens = 5}, {});
  EXPECT_TRUE(spending.reserve({.tokens = 60}));
}

TEST(RunBudget, goes_on_counting_where_earlier_attempts_have_stopped) {
  Spending spending{{.calls = 3, .tokens = {}, .cost = {}}, {.calls = 2}};

  EXPECT_TRUE(spending.reserve({}));
  EXPECT_THAT(spending.reserve({}).error().message, HasSubstr("maxCalls: 3"));
}

TEST(RunBudget, keeps_the_expectation_where_a_provider_never_tells) {
  Spending spending{{.calls = {}, .tokens = 100, .cost = {}}, {}};
  ASSERT_TRUE(spending.reserve({.tokens = 60}));
  spending.settle({.tokens = 60}, {}, {});

  EXPECT_FALSE(spending.reserve({.tokens = 60}));
  EXPECT_EQ(spending.totals().input_tokens, 0);
}

TEST(RunBudget, refuses_a_cost_bound_for_a_model_without_a_price) {
  Spending spending{{.calls = {}, .tokens = {}, .cost = 1.0}, {}};

  EXPECT_THAT(spending.reserve({.tokens = 1}).error().message, HasSubstr("no price"));
  EXPECT_TRUE(spending.reserve({.tokens = 1, .cost = 0.9}));
  EXPECT_THAT(spending.reserve({.tokens = 1, .cost = 0.2}).error().message, HasSubstr("maxCost"));
}

}  // namespace
}  // namespace carillon::pipeline
