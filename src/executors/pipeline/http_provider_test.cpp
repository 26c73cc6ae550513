#include "executors/pipeline/http_provider.hpp"

#include "executors/pipeline/question_test.hpp"
#include "support/http_sink.hpp"
#include "support/manual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <string>
#include <thread>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view openai_hello =
    R"({"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}})";
constexpr std::string_view anthropic_hello =
    R"({"content":[{"type":"text","text":"hel"},{"type":"text","text":"lo"}],"stop_reason":"end_turn",)"
    R"("usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":2}})";

struct AnHttpProvider : testing::Test {
  [[nodiscard]] static HttpProviderOptions options_for(HttpSink& sink, HttpStyle style = HttpStyle::openai) {
    return {.url = sink.url(), .key = "${secret:ai}", .terms = {.style = style}, .secrets = [](std::string_view) {
              return Result<std::string>{"sk-very-secret"};
            }};
  }
  [[nodiscard]] ProviderResult ask(HttpProviderOptions options, const Question& question = a_question("hi", "m"),
                                   Duration timeout = 60s) {
    return HttpProvider{clock, std::move(options)}.ask(question, timeout, {});
  }
  /// What becomes of a question that is answered so.
  [[nodiscard]] ProviderResult answered(const std::string& status, std::string_view body,
                                        const std::string& headers = "", HttpStyle style = HttpStyle::openai) {
    HttpSink sink{[&](SinkConnection& connection, const SinkRequest&) { connection.answer(status, body, headers); }};
    return ask(options_for(sink, style));
  }

  ManualClock clock{Instant{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}}};
};

TEST_F(AnHttpProvider, asks_in_openai_style) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK", openai_hello); }};

  const ProviderResult result = ask(options_for(sink));

  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(*result, (ProviderAnswer{.text = "hello", .usage = {.input_tokens = 7, .output_tokens = 2}}));
  ASSERT_THAT(sink.requests(), SizeIs(1));
  const SinkRequest request = sink.requests().front();
  EXPECT_EQ(request.header("authorization"), "Bearer sk-very-secret");
  EXPECT_EQ(json::parse(request.body), json::parse(R"({"model":"m","messages":[{"role":"user","content":"hi"}]})"));
}

TEST_F(AnHttpProvider, asks_in_anthropic_style) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK", anthropic_hello); }};

  const ProviderResult result = ask(options_for(sink, HttpStyle::anthropic));

  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(*result, (ProviderAnswer{.text = "hello", .usage = {.input_tokens = 10, .output_tokens = 2}}));
  const SinkRequest request = sink.requests().front();
  EXPECT_EQ(request.header("x-api-key"), "sk-very-secret");
  EXPECT_EQ(request.header("anthropic-version"), "2023-06-01");
  EXPECT_EQ(request.header("authorization"), "");
  EXPECT_EQ(json::parse(request.body).at("max_tokens"), 4096);
}

TEST_F(AnHttpProvider, has_fields_enforced_where_the_service_can_do_it) {
  const Question question = a_question("hi", "m", {"a", "b"});
  const auto body = json::parse(http_body_of(question, {.has_schema = true}));
  const auto& schema = body.at("response_format").at("json_schema").at("schema");

  EXPECT_EQ(body.at("response_format").at("type"), "json_schema");
  EXPECT_EQ(schema.at("required"), json::parse(R"(["a","b"])"));
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_FALSE(json::parse(http_body_of(question, {})).as_object().contains("response_format"));
}

struct StatusCase {
  std::string status;
  std::string body;
  FailureClass kind;
  bool is_rate_limit = false;
};

TEST_F(AnHttpProvider, tells_by_status_and_code_what_a_failure_means) {
  const StatusCase cases[] = {
      {"400 Bad Request", R"({"error":{"message":"bad"}})", FailureClass::permanent},
      {"404 Not Found", R"({"error":{"message":"no model"}})", FailureClass::permanent},
      {"401 Unauthorized", R"({"error":{"message":"key"}})", FailureClass::hopeless},
      {"403 Forbidden", "", FailureClass::hopeless},
      {"429 Too Many Requests", R"({"error":{"code":"insufficient_quota"}})", FailureClass::hopeless},
      {"429 Too Many Requests", R"({"error":{"code":"rate_limit_exceeded"}})", FailureClass::transient, true},
      {"408 Request Timeout", "", FailureClass::transient},
      {"500 Oops", "<html>", FailureClass::transient},
      {"529 Overloaded", R"({"error":{"type":"overloaded_error"}})", FailureClass::transient},
      {"200 OK", "{", FailureClass::answer},
      {"200 OK", R"({"choices":[]})", FailureClass::answer},
      {"200 OK", R"({"choices":[{"message":{"content":null,"refusal":"I cannot"},"finish_reason":"stop"}]})",
       FailureClass::answer},
      {"200 OK", R"({"choices":[{"message":{"content":"{\"a\":1}"},"finish_reason":"length"}]})", FailureClass::answer},
      {"200 OK", R"({"choices":[{"message":{"content":"x"},"finish_reason":"content_filter"}]})", FailureClass::answer},
  };
  for (const StatusCase& one : cases) {
    const ProviderResult result = answered(one.status, one.body);
    ASSERT_FALSE(result) << one.status << one.body;
    EXPECT_EQ(result.error().kind, one.kind) << one.status << one.body;
    EXPECT_EQ(result.error().is_rate_limit, one.is_rate_limit) << one.status << one.body;
  }
}

TEST_F(AnHttpProvider, refuses_cut_and_refused_answers_in_anthropic_style) {
  for (const char* reason : {"max_tokens", "refusal"}) {
    const ProviderResult result =
        answered("200 OK",
                 R"({"content":[{"type":"text","text":"{}"}],"stop_reason":")" + std::string{reason} +
                     R"(","usage":{"input_tokens":1,"output_tokens":9}})",
                 "", HttpStyle::anthropic);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureClass::answer);
    EXPECT_EQ(result.error().usage.output_tokens, 9);
  }
}

TEST_F(AnHttpProvider, hears_for_how_long_it_has_to_wait) {
  const std::pair<std::string, std::optional<Duration>> cases[] = {
      {"Retry-After: 7\r\n", 7s},
      {"retry-after-ms: 250\r\nRetry-After: 7\r\n", 250ms},
      {"Retry-After: 1.5\r\n", 1500ms},
      {"Retry-After: Thu, 01 Jan 2026 00:00:30 GMT\r\n", 30s},
      {"Retry-After: -5\r\n", std::nullopt},
      {"Retry-After: 99999999\r\n", 24h},
      {"x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 1m30s\r\n"
       "x-ratelimit-remaining-tokens: 5\r\nx-ratelimit-reset-tokens: 9h\r\n",
       90s},
      {"x-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: 12ms\r\n", 12ms},
      {"x-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: -1\r\n", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [headers, wait] : cases) {
    const ProviderResult result = answered("429 Too Many Requests", "", headers);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().retry_after, wait) << headers;
  }
}

TEST_F(AnHttpProvider, never_shows_its_key) {
  const ProviderResult failed = answered("401 Unauthorized", R"({"error":{"message":"wrong key sk-very-secret"}})");
  EXPECT_THAT(failed.error().message, Not(HasSubstr("sk-very-secret")));
  EXPECT_THAT(failed.error().message, HasSubstr("wrong key ***"));

  const ProviderResult told = answered("200 OK", R"({"choices":[{"message":{"content":"it is sk-very-secret"}}]})");
  EXPECT_EQ(told->text, "it is ***");
}

TEST_F(AnHttpProvider, does_not_wait_longer_than_it_may) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) { connection.await_close(); }};

  const ProviderResult result = ask(options_for(sink), a_question("hi"), 20ms);

  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is_timeout);
  EXPECT_EQ(result.error().kind, FailureClass::transient);
}

TEST_F(AnHttpProvider, ends_a_question_when_a_stop_is_requested) {
  std::stop_source source;
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest&) {
    source.request_stop();
    connection.await_close();
  }};

  const ProviderResult result = HttpProvider{clock, options_for(sink)}.ask(a_question("hi"), 1h, source.get_token());

  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is_cancelled);
}

TEST_F(AnHttpProvider, calls_no_address_that_is_closed) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK", openai_hello); }};
  HttpProviderOptions options = options_for(sink);
  options.address_refusal = [](const sockaddr&) { return std::optional<std::string>{"127.0.0.1 may not be called"}; };

  const ProviderResult result = ask(std::move(options));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::hopeless);
  EXPECT_EQ(result.error().message, "127.0.0.1 may not be called");
  EXPECT_EQ(sink.connection_count(), 0U);
}

TEST_F(AnHttpProvider, takes_a_service_that_is_away_for_a_passing_fault) {
  std::string url;
  {
    url = HttpSink{[](SinkConnection&, const SinkRequest&) {}}.url();
  }

  const ProviderResult result = ask({.url = url});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::transient);
}

TEST_F(AnHttpProvider, ends_a_reply_that_is_too_large) {
  HttpSink sink{
      [](SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK", std::string(5000, ' ')); }};
  HttpProviderOptions options = options_for(sink);
  options.reply_size_max = 4096;

  const ProviderResult result = ask(std::move(options));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::answer);
  EXPECT_THAT(result.error().message, HasSubstr("more than 4096 bytes"));
}

TEST_F(AnHttpProvider, cannot_ask_without_its_key) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK", openai_hello); }};
  HttpProviderOptions options = options_for(sink);
  options.secrets = [](std::string_view reference) -> Result<std::string> {
    return fail(ErrorCode::not_found, "{} is not there", reference);
  };

  const ProviderResult result = ask(std::move(options));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureClass::hopeless);
  EXPECT_EQ(sink.connection_count(), 0U);
}

}  // namespace
}  // namespace carillon::pipeline
