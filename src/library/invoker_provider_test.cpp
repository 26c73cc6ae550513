#include "library/invoker_provider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <stop_token>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using pipeline::FailureClass;
using ::testing::ElementsAre;

pipeline::ProviderResult asked(AiInvoker invoker, const std::stop_token& stop = {}) {
  return InvokerProvider{std::move(invoker), nullptr}.ask(
      {.prompt = "Why?", .model = "large", .fields = {"a", "b"}, .is_batch = true}, 3s, stop);
}

TEST(InvokerProvider, hands_over_the_whole_question_and_gives_the_answer_back) {
  AiQuestion seen;
  const auto result = asked([&](const AiQuestion& question) {
    seen = question;
    return AiAnswer{.response = "Because", .input_tokens = 5, .output_tokens = 2};
  });

  EXPECT_EQ(seen.prompt, "Why?");
  EXPECT_EQ(seen.model, "large");
  EXPECT_THAT(seen.fields, ElementsAre("a", "b"));
  EXPECT_TRUE(seen.is_batch);
  EXPECT_EQ(seen.timeout, 3s);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, (pipeline::ProviderAnswer{.text = "Because", .usage = {.input_tokens = 5, .output_tokens = 2}}));
}

TEST(InvokerProvider, says_what_a_failure_means) {
  struct Case {
    AiAnswer::Failure failure;
    FailureClass kind;
    bool is_rate_limit = false;
    bool is_timeout = false;
  };
  for (const Case& expected : {Case{AiAnswer::Failure::transient, FailureClass::transient},
                               Case{AiAnswer::Failure::busy, FailureClass::transient, true},
                               Case{AiAnswer::Failure::timed_out, FailureClass::transient, false, true},
                               Case{AiAnswer::Failure::permanent, FailureClass::permanent},
                               Case{AiAnswer::Failure::hopeless, FailureClass::hopeless}}) {
    const auto result = asked([&](const AiQuestion&) { return AiAnswer::failed("no", expected.failure, 7s); });

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, expected.kind);
    EXPECT_EQ(result.error().message, "no");
    EXPECT_EQ(result.error().is_rate_limit, expected.is_rate_limit);
    EXPECT_EQ(result.error().is_timeout, expected.is_timeout);
    EXPECT_EQ(result.error().retry_after, 7s);
    EXPECT_FALSE(result.error().is_cancelled);
  }
}

TEST(InvokerProvider, takes_an_exception_for_a_failure_that_may_pass) {
  const auto result = asked([](const AiQuestion&) -> AiAnswer { throw std::runtime_error{"no route"}; });
  EXPECT_EQ(result.error().message, "the invoker threw: no route");
  EXPECT_EQ(result.error().kind, FailureClass::transient);

  EXPECT_FALSE(asked([](const AiQuestion&) -> AiAnswer { throw 7; }));
}

TEST(InvokerProvider, takes_a_failure_after_a_stop_for_its_cause_and_keeps_an_answer) {
  std::stop_source source;
  source.request_stop();

  EXPECT_TRUE(asked([](const AiQuestion&) { return AiAnswer::failed("I was asked to stop"); }, source.get_token())
                  .error()
                  .is_cancelled);
  EXPECT_TRUE(asked([](const AiQuestion&) { return AiAnswer{.response = "late"}; }, source.get_token()));
}

}  // namespace
}  // namespace carillon
