#include "executors/http/http_executor.hpp"

#include "support/http_attempts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace carillon {
namespace {

namespace json = boost::json;
using Outcome = AttemptOutcome;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

void say_ok(SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK", R"({"rows":3})"); }

/// HMAC-SHA256 in base64, by another interface of OpenSSL than the one that signs.
std::string signature_of(std::string_view base64_key, std::string_view text) {
  unsigned char key[64];
  const int length = EVP_DecodeBlock(key, reinterpret_cast<const unsigned char*>(base64_key.data()),
                                     static_cast<int>(base64_key.size()));
  unsigned char out[EVP_MAX_MD_SIZE];
  std::size_t out_length = 0;
  EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key, static_cast<std::size_t>(length),
            reinterpret_cast<const unsigned char*>(text.data()), text.size(), out, sizeof out, &out_length);
  std::string base64(64, '\0');
  base64.resize(static_cast<std::size_t>(
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()), out, static_cast<int>(out_length))));
  return base64;
}

TEST_F(HttpAttempts, send_the_envelope_to_the_target) {
  HttpSink sink{say_ok};

  const AttemptEnd end = performed(sink.url());

  EXPECT_EQ(end.outcome, Outcome::succeeded);
  ASSERT_THAT(sink.requests(), SizeIs(1));
  const SinkRequest request = sink.requests().front();
  const json::value body = json::parse(request.body);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(body.at("scheduleId"), "nightly");
  EXPECT_EQ(body.at("runName"), "nightly@2026-01-27T14:00:00Z");
  EXPECT_EQ(body.at("payload").at("table"), "orders");
}

TEST_F(HttpAttempts, identify_themselves_by_headers) {
  HttpSink sink{say_ok};
  HttpAction action = post_to(sink.url());
  action.headers = {{"X-Empty", ""}, {"X-Team", "data"}};

  performed(action);

  const SinkRequest request = sink.requests().at(0);
  EXPECT_EQ(request.header("idempotency-key"), "nightly@2026-01-27T14:00:00Z");
  EXPECT_EQ(request.header("webhook-id"), "r-8f3k2m1x");
  EXPECT_THAT(request.header("user-agent"), testing::StartsWith("carillon/"));
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_EQ(request.header("x-team"), "data");
  EXPECT_TRUE(request.headers.contains("x-empty"));
  EXPECT_FALSE(request.headers.contains("accept-encoding"));
  EXPECT_FALSE(request.headers.contains("webhook-signature"));
}

TEST_F(HttpAttempts, carry_a_signature_that_others_can_verify) {
  HttpSink sink{say_ok};
  HttpAction action = post_to(sink.url());
  action.signing_secret = "${env:KEY}";

  performed(action);

  const SinkRequest request = sink.requests().at(0);
  const std::string text =
      request.header("webhook-id") + "." + request.header("webhook-timestamp") + "." + request.body;
  EXPECT_EQ(request.header("webhook-timestamp"), "1769522400");
  EXPECT_EQ(request.header("webhook-signature"), "v1," + signature_of("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", text));
}

TEST_F(HttpAttempts, are_told_in_order_with_the_answer_as_output) {
  HttpSink sink{say_ok};

  const AttemptKey key = launch(sink.url());
  const AttemptEnd end = record_.await_end(key);

  const auto story = record_.story(key);
  EXPECT_TRUE(story.is_in_order);
  EXPECT_EQ(story.launched_count, 1);
  EXPECT_EQ(story.output, R"({"rows":3})");
  EXPECT_EQ(story.errors, "");
  EXPECT_EQ(end.exit_code, 200);
  EXPECT_EQ(end.result, R"({"rows":3})");
}

TEST_F(HttpAttempts, fail_with_what_the_server_says) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) {
    connection.answer("503 Service Unavailable", "busy\n", "Retry-After:  30 \r\n");
  }};

  const AttemptEnd end = performed(sink.url());

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.error, "answered 503 Service Unavailable: busy");
  EXPECT_EQ(end.exit_code, 503);
  EXPECT_EQ(end.retry_after, std::chrono::seconds{30});
}

TEST_F(HttpAttempts, count_a_date_to_retry_after_from_their_clock) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) {
    connection.answer("429 Too Many", "", "RETRY-AFTER: Tue, 27 Jan 2026 14:02:00 GMT\r\n");
  }};

  EXPECT_EQ(performed(sink.url()).retry_after, std::chrono::minutes{2});
}

TEST_F(HttpAttempts, succeed_by_the_codes_of_the_action) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) { connection.answer("409 Conflict"); }};
  HttpAction action = post_to(sink.url());

  EXPECT_EQ(performed(action).outcome, Outcome::failed);
  action.success_codes = {{200, 299}, {409, 409}};
  EXPECT_EQ(performed(action).outcome, Outcome::succeeded);
}

TEST_F(HttpAttempts, take_the_last_of_several_status_lines) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) {
    connection.send("HTTP/1.1 103 Early Hints\r\nRetry-After: 1\r\n\r\n");
    connection.answer("503 Really Not");
  }};

  const AttemptEnd end = performed(sink.url());

  EXPECT_EQ(end.error, "answered 503 Really Not");
  EXPECT_FALSE(end.retry_after);
}

TEST_F(HttpAttempts, use_the_method_of_the_action) {
  HttpSink sink{say_ok};
  for (const std::string method : {"GET", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    HttpAction action = post_to(sink.url());
    action.method = method;
    action.body = "text of {{runId}}";
    EXPECT_EQ(performed(action).outcome, Outcome::succeeded);
    EXPECT_EQ(sink.requests().back().method, method);
    EXPECT_EQ(sink.requests().back().body, "text of r-8f3k2m1x");
  }
}

TEST_F(HttpAttempts, that_only_ask_send_no_body) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest& request) {
    // An answer to HEAD has the length of a body that is not sent.
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
    if (request.method == "GET") connection.send("[]");
  }};
  for (const std::string method : {"GET", "HEAD"}) {
    HttpAction action = post_to(sink.url());
    action.method = method;
    EXPECT_EQ(performed(action).outcome, Outcome::succeeded);
    EXPECT_EQ(sink.requests().back().method, method);
    EXPECT_EQ(sink.requests().back().body, "");
    EXPECT_FALSE(sink.requests().back().headers.contains("content-length"));
  }
}

TEST_F(HttpAttempts, send_a_large_body_at_once) {
  HttpSink sink{say_ok};
  HttpAction action = post_to(sink.url());
  action.body = json::value(std::string(3'000'000, 'x'));

  EXPECT_EQ(performed(action).outcome, Outcome::succeeded);
  EXPECT_EQ(sink.requests().at(0).body, std::string(3'000'000, 'x'));
  EXPECT_FALSE(sink.requests().at(0).headers.contains("expect"));
}

TEST_F(HttpAttempts, follow_no_redirect) {
  HttpSink other{say_ok};
  for (const std::string& target : {other.url(), std::string{"file:///etc/passwd"}, std::string{"/again"}}) {
    HttpSink sink{[&](SinkConnection& connection, const SinkRequest&) {
      connection.answer("302 Found", "", "Location: " + target + "\r\n");
    }};
    EXPECT_EQ(performed(sink.url()).error, "answered 302 Found");
    EXPECT_THAT(sink.requests(), SizeIs(1));
  }
  EXPECT_THAT(other.requests(), IsEmpty());
}

TEST_F(HttpAttempts, with_an_unknown_template_fail_before_anything_is_sent) {
  HttpSink sink{say_ok};
  HttpAction action = post_to(sink.url());
  action.body = "{{runIdd}}";

  const AttemptKey key = launch(action);
  const AttemptEnd end = record_.await_end(key);

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_THAT(end.error, HasSubstr("\"runIdd\""));
  EXPECT_EQ(record_.story(key).launched_count, 0);
  EXPECT_EQ(sink.connection_count(), 0U);
}

TEST_F(HttpAttempts, with_a_secret_that_they_were_not_given_fail_and_name_it) {
  HttpAction action = post_to("http://127.0.0.1:9/");
  action.headers = {{"Authorization", "${env:MISSING}"}};

  EXPECT_EQ(performed(action).error, "${env:MISSING} cannot be resolved here (filling in the header Authorization)");
}

TEST_F(HttpAttempts, hide_secrets_that_come_back) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest& request) {
    const std::string body = "\"you sent " + request.header("authorization") + "\"";
    connection.send("HTTP/1.1 " + std::string{request.target == "/ok" ? "200" : "401 canary-token"} +
                    "\r\nConnection: close\r\n\r\n");
    for (const char c : body) connection.send({&c, 1});
  }};
  HttpAction action = post_to(sink.url("127.0.0.1", "/ok"));
  action.headers = {{"Authorization", "Bearer ${env:TOKEN}"}};

  const AttemptKey key = launch(action);
  const AttemptEnd succeeded = record_.await_end(key);
  action.url = sink.url("127.0.0.1", "/no");
  const AttemptEnd failed = performed(action);

  EXPECT_EQ(sink.requests().at(0).header("authorization"), "Bearer canary-token");
  EXPECT_EQ(record_.story(key).output, R"("you sent Bearer ***")");
  EXPECT_EQ(succeeded.result, R"("you sent Bearer ***")");
  EXPECT_EQ(failed.error, R"(answered 401 ***: "you sent Bearer ***")");
}

TEST_F(HttpAttempts, go_past_the_proxies_of_the_environment) {
  ::setenv("http_proxy", "http://127.0.0.1:9", 1);
  ::setenv("ALL_PROXY", "http://127.0.0.1:9", 1);
  HttpSink sink{say_ok};

  EXPECT_EQ(performed(sink.url()).outcome, Outcome::succeeded);

  ::unsetenv("http_proxy");
  ::unsetenv("ALL_PROXY");
}

TEST_F(HttpAttempts, that_are_five_hundred_at_once_all_end_once) {
  HttpSink sink{say_ok};

  for (int i = 0; i < 500; ++i) launch(sink.url());
  record_.await_end_count(500);
  destroy_executor();

  EXPECT_THAT(sink.requests(), SizeIs(500));
  EXPECT_THAT(record_.stories(), SizeIs(500));
  for (const auto& [key, story] : record_.stories()) {
    EXPECT_TRUE(story.is_in_order);
    EXPECT_EQ(story.launched_count, 1);
    ASSERT_THAT(story.ends, SizeIs(1));
    EXPECT_EQ(story.ends[0].outcome, Outcome::succeeded) << story.ends[0].error;
  }
}

TEST_F(HttpAttempts, beyond_the_bound_wait_for_their_turn) {
  std::atomic<int> open_count = 0;
  std::atomic<int> open_count_max = 0;
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest&) {
    const int count = ++open_count;
    int most = open_count_max;
    while (count > most && !open_count_max.compare_exchange_weak(most, count)) continue;
    --open_count;
    connection.answer("200 OK");
  }};
  HttpOptions bounded = options();
  bounded.transfer_count_max = 3;
  start(bounded);

  for (int i = 0; i < 100; ++i) launch(sink.url());
  record_.await_end_count(100);

  EXPECT_THAT(sink.requests(), SizeIs(100));
  EXPECT_LE(open_count_max, 3);
}

}  // namespace
}  // namespace carillon
