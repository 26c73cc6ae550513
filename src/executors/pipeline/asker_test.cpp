#include "executors/pipeline/asker.hpp"

#include "executors/pipeline/question_test.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace carillon::pipeline {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// Answers as it is told, and remembers what it was asked.
class ScriptedProvider final : public Provider {
 public:
  struct Call {
    std::string prompt;
    std::string model;
    Duration timeout;
    friend bool operator==(const Call&, const Call&) = default;
  };

  ProviderResult ask(const Question& question, Duration timeout, const std::stop_token&) override {
    const std::lock_guard lock{mutex_};
    calls_.push_back({question.prompt, question.model, timeout});
    if (results_.empty()) return ProviderAnswer{.text = "ok", .usage = {.input_tokens = 10, .output_tokens = 5}};
    ProviderResult result = results_.front();
    results_.pop_front();
    return result;
  }
  void say(ProviderResult result) { results_.push_back(std::move(result)); }
  void fail_with(ProviderFailure failure) { say(std::unexpected(std::move(failure))); }
  [[nodiscard]] std::vector<Call> calls() {
    const std::lock_guard lock{mutex_};
    return calls_;
  }

 private:
  std::mutex mutex_;
  std::deque<ProviderResult> results_;
  std::vector<Call> calls_;
};

struct AnAsker : testing::Test {
  AnAsker() {
    auto scripted = std::make_unique<ScriptedProvider>();
    provider = scripted.get();
    providers.add("p", {.model = "own", .prices = {{"own", {.input = 1e6, .output = 2e6}}}}, std::move(scripted));
  }
  /// One attempt's answer to a question.
  [[nodiscard]] Result<ProviderResult> ask(const std::string& prompt, const Budget& budget = {}) {
    const auto journal = Journal::open(folder.path() / "journal", {.run = "r", .inputs = {}}).value();
    uncertain_count = journal->uncertain_count();
    Spending spending{budget, journal->earlier()};
    Asker asker{*journal, spending, {.retry_delay = 0s}};
    auto result = asker.ask(*providers.find({}).value(), QuestionKeys{}.key_of("p", a_question(prompt)),
                            a_question(prompt, "own"), 10s, stop.get_token());
    totals = spending.totals();
    return result;
  }

  TemporaryFolder folder;
  ManualClock clock;
  Providers providers{clock};
  ScriptedProvider* provider = nullptr;
  std::stop_source stop;
  JournalTotals totals;
  std::size_t uncertain_count = 0;
};

TEST_F(AnAsker, asks_once_for_all_attempts) {
  EXPECT_EQ((*ask("q"))->text, "ok");
  EXPECT_EQ((*ask("q"))->text, "ok");

  EXPECT_THAT(provider->calls(), ElementsAre(ScriptedProvider::Call{"q", "own", 10s}));
  EXPECT_EQ(totals, (JournalTotals{.calls = 1, .input_tokens = 10, .output_tokens = 5, .cost = 20}));
}

TEST_F(AnAsker, asks_again_after_a_passing_fault_but_not_for_ever) {
  for (int i = 0; i < 3; ++i) provider->fail_with({.message = "busy"});

  const auto result = ask("q");

  ASSERT_TRUE(result);
  EXPECT_EQ(result->error().message, "busy");
  EXPECT_EQ(provider->calls().size(), 3U);
}

TEST_F(AnAsker, does_not_count_questions_that_a_busy_provider_did_not_take) {
  for (int i = 0; i < 20; ++i) provider->fail_with({.message = "slow down", .is_rate_limit = true, .retry_after = 0s});

  EXPECT_EQ((*ask("q"))->text, "ok");
  EXPECT_EQ(provider->calls().size(), 21U);
}

TEST_F(AnAsker, gives_a_question_that_took_too_long_twice_the_time_once) {
  for (int i = 0; i < 2; ++i) provider->fail_with({.message = "no answer within 10s", .is_timeout = true});

  EXPECT_FALSE(*ask("q"));
  EXPECT_THAT(provider->calls(),
              ElementsAre(ScriptedProvider::Call{"q", "own", 10s}, ScriptedProvider::Call{"q", "own", 20s}));
}

TEST_F(AnAsker, asks_what_has_failed_anew_in_the_next_attempt) {
  provider->fail_with({.kind = FailureClass::permanent, .message = "bad"});
  EXPECT_FALSE(*ask("q"));

  EXPECT_EQ((*ask("q"))->text, "ok");
  EXPECT_EQ(provider->calls().size(), 2U);
  EXPECT_EQ(uncertain_count, 0U);
}

TEST_F(AnAsker, takes_nothing_for_an_answer_that_is_no_text) {
  provider->say(ProviderAnswer{.text = "\xff"});
  EXPECT_EQ(ask("q")->error().kind, FailureClass::answer);
}

TEST_F(AnAsker, leaves_a_question_open_that_was_cancelled_under_way) {
  provider->fail_with({.message = "cancelled", .is_cancelled = true});
  EXPECT_FALSE(*ask("q"));

  EXPECT_TRUE(*ask("q"));
  EXPECT_EQ(uncertain_count, 1U);
}

TEST_F(AnAsker, asks_nothing_after_a_stop) {
  stop.request_stop();

  EXPECT_TRUE(ask("q")->error().is_cancelled);
  EXPECT_TRUE(provider->calls().empty());
}

TEST_F(AnAsker, ends_the_run_when_its_budget_is_used_up) {
  ASSERT_TRUE(ask("one", {.calls = 1, .tokens = {}, .cost = {}}));

  const auto second = ask("two", {.calls = 1, .tokens = {}, .cost = {}});

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().rule, "budget");
  EXPECT_EQ(provider->calls().size(), 1U);
}

TEST_F(AnAsker, stays_within_the_budget_with_many_questions_under_way) {
  const auto journal = Journal::open(folder.path() / "journal", {.run = "r", .inputs = {}}).value();
  Spending spending{{.calls = 20, .tokens = {}, .cost = {}}, {}};
  Asker asker{*journal, spending};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 50; ++i) {
      threads.emplace_back([&, i] {
        const std::string prompt = std::to_string(i);
        (void)asker.ask(*providers.find({}).value(), QuestionKeys{}.key_of("p", a_question(prompt)), a_question(prompt),
                        10s, {});
      });
    }
  }

  EXPECT_EQ(provider->calls().size(), 20U);
}

TEST(ProviderNames, lead_to_the_one_that_is_meant) {
  ManualClock clock;
  Providers providers{clock};
  EXPECT_FALSE(providers.find({}));
  providers.add("a", {}, std::make_unique<ScriptedProvider>());
  EXPECT_EQ((*providers.find({}))->name, "a");
  providers.add("b", {}, std::make_unique<ScriptedProvider>());
  EXPECT_FALSE(providers.find({}));
  providers.set_default("b");
  EXPECT_EQ((*providers.find({}))->name, "b");
  EXPECT_EQ((*providers.find("a"))->name, "a");
  EXPECT_THAT(providers.find("c").error().hint, HasSubstr("a, b"));
}

}  // namespace
}  // namespace carillon::pipeline
