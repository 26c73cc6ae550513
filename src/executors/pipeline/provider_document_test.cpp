#include "executors/pipeline/provider_document.hpp"

#include "executors/pipeline/question_test.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace carillon::pipeline {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

struct AProvidersFile : testing::Test {
  [[nodiscard]] Result<Providers> load(std::string_view text) {
    folder.write("providers.yaml", text);
    return load_providers(folder.path() / "providers.yaml", {}, clock);
  }
  [[nodiscard]] std::string fault(std::string_view text) {
    const auto loaded = load(text);
    EXPECT_FALSE(loaded) << text;
    return loaded ? std::string{} : loaded.error().message;
  }

  TemporaryFolder folder;
  ManualClock clock;
};

TEST_F(AProvidersFile, names_providers_with_their_limits_and_prices) {
  auto providers = load(R"(default: claude
providers:
  claude:
    type: http
    style: anthropic
    url: https://api.anthropic.com/v1/messages
    key: ${secret:anthropic}
    model: claude-x
    maxOutputTokens: 1000
    limits: {concurrency: 4, requestsPerMinute: 50, tokensPerMinute: 40000}
    prices: {claude-x: {input: 3, output: 15}}
  local: {type: command, argv: [cat], env: {KEY: "${env:KEY}"}}
  demo: {type: mock}
)");

  ASSERT_TRUE(providers) << providers.error().message;
  const NamedProvider& claude = **providers->find({});
  EXPECT_EQ(claude.name, "claude");
  EXPECT_EQ(claude.terms.model, "claude-x");
  EXPECT_EQ(claude.terms.limits,
            (ProviderLimits{.concurrency = 4, .requests_per_minute = 50, .tokens_per_minute = 40000}));
  EXPECT_EQ(claude.terms.prices.at("claude-x"), (Price{.input = 3, .output = 15}));
  EXPECT_TRUE(providers->find("local"));
}

TEST_F(AProvidersFile, has_an_echo_for_demonstrations) {
  auto providers = load("providers: {demo: {type: mock}}");
  Provider& echo = *(*providers->find({}))->provider;

  EXPECT_EQ(echo.ask(a_question("hello"), 1s, {})->text, "hello");
  EXPECT_EQ(echo.ask(a_question("hello\nthere", "", {"a", "b"}), 1s, {})->text, R"({"a":"hello","b":"hello"})");
}

TEST_F(AProvidersFile, takes_mock_answers_from_a_file_beside_it) {
  folder.write(
      "answers.yaml",
      "exact: {q: yes}\nrules: [{contains: x, answer: {error: boom}}]\ndefault: {delayMs: 100000, answer: late}\n");
  auto providers = load("providers: {demo: {type: mock, answers: answers.yaml}}");
  ASSERT_TRUE(providers) << providers.error().message;
  Provider& mock = *(*providers->find({}))->provider;

  EXPECT_EQ(mock.ask(a_question("q"), 1s, {})->text, "yes");
  EXPECT_EQ(mock.ask(a_question("axa"), 1s, {}).error().message, "boom");
  EXPECT_TRUE(mock.ask(a_question("else"), 1ms, {}).error().is_timeout);
}

TEST_F(AProvidersFile, reports_its_first_fault_with_its_place) {
  EXPECT_THAT(fault("providers:\n  a: {type: mock, modell: x}\n"), HasSubstr("providers.yaml:2:"));
  EXPECT_THAT(fault("providers:\n  a: {type: mock, modell: x}\n"), HasSubstr("modell"));
  EXPECT_THAT(fault("providers: {a: {type: smtp}}"), HasSubstr("smtp"));
  EXPECT_THAT(fault("providers: {a: {}}"), HasSubstr("needs type"));
  EXPECT_THAT(fault("providers: {a: {type: http, model: m}}"), HasSubstr("needs url"));
  EXPECT_THAT(fault("providers: {a: {type: http, url: 'https://x.example'}}"), HasSubstr("needs model"));
  EXPECT_THAT(fault("providers: {a: {type: command}}"), HasSubstr("needs argv"));
  EXPECT_THAT(fault("providers: {a: {type: mock, limits: {concurrency: 0}}}"), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(fault("default: b\nproviders: {a: {type: mock}}"), HasSubstr("no provider \"b\""));
  EXPECT_THAT(fault("provider: {}"), HasSubstr("provider"));
}

TEST_F(AProvidersFile, never_holds_a_key_itself) {
  const std::string message =
      fault("providers: {a: {type: http, url: 'https://x.example', model: m, key: sk-very-secret}}");

  EXPECT_THAT(message, HasSubstr("reference"));
  EXPECT_THAT(message, Not(HasSubstr("sk-very-secret")));
}

}  // namespace
}  // namespace carillon::pipeline
