#include "executors/http/http_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <string>

namespace carillon {
namespace {

namespace json = boost::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

const Instant now = *parse_instant("2026-01-27T14:00:00Z");

Envelope an_envelope() {
  return {.name_space = "default",
          .schedule_id = "nightly",
          .schedule_name = "Nightly",
          .run_id = "r-8f3k2m1x",
          .run_name = "nightly@2026-01-27T14:00:00Z",
          .nominal = now,
          .due = now,
          .attempt = 1,
          .last_result = {},
          .payload = R"({"table":"or\"ders"})"};
}

HttpAction an_action(json::value body = nullptr) {
  HttpAction action;
  action.url = "https://example.com/hook";
  action.body = std::move(body);
  return action;
}

Result<std::string> secret_of(std::string_view reference) {
  if (reference == "${env:KEY}") return std::string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"};
  if (reference == "${env:TOKEN}") return std::string{"canary-token"};
  if (reference == "${env:BROKEN}") return std::string{"canary\r\nX-Other: 1"};
  return fail(ErrorCode::not_found, "{} is not set", reference);
}

Result<HttpRequest> prepared(const HttpAction& action) {
  return prepare_request(action, an_envelope(), secret_of, "carillon/9", now);
}

TEST(HttpRequest, says_which_run_it_belongs_to) {
  const auto request = prepared(an_action());

  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->url, "https://example.com/hook");
  EXPECT_THAT(request->headers,
              ElementsAre(Pair("Idempotency-Key", "nightly@2026-01-27T14:00:00Z"), Pair("webhook-id", "r-8f3k2m1x"),
                          Pair("User-Agent", "carillon/9"), Pair("Content-Type", "application/json")));
}

TEST(HttpRequest, without_a_body_carries_the_envelope) {
  const auto body = json::parse(*prepared(an_action())->body);

  EXPECT_EQ(body.at("runId"), "r-8f3k2m1x");
  EXPECT_EQ(body.at("payload").at("table"), "or\"ders");
}

TEST(HttpRequest, that_only_asks_carries_no_envelope) {
  for (const std::string method : {"GET", "HEAD"}) {
    HttpAction action = an_action();
    action.method = method;
    const auto request = prepared(action);
    EXPECT_FALSE(request->body);
    EXPECT_THAT(request->headers, Not(Contains(Pair("Content-Type", testing::_))));
  }
}

TEST(HttpRequest, with_a_text_sends_it_as_it_is_after_templates) {
  EXPECT_EQ(prepared(an_action(R"({"run": "{{runId}}", "payload": {{payload}}})"))->body,
            R"({"run": "r-8f3k2m1x", "payload": {"table":"or\"ders"}})");
}

TEST(HttpRequest, with_a_tree_fills_templates_in_as_text) {
  EXPECT_EQ(prepared(an_action(json::parse(R"({"run":"<{{runId}}>","p":"{{payload}}","n":1})")))->body,
            R"({"run":"<r-8f3k2m1x>","p":"{\"table\":\"or\\\"ders\"}","n":1})");
}

TEST(HttpRequest, with_an_unknown_template_is_not_made) {
  const auto request = prepared(an_action("{{runIdd}}"));

  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().message, HasSubstr("\"runIdd\""));
}

TEST(HttpRequest, with_a_body_of_many_megabytes_is_not_made) {
  std::string many;
  for (int i = 0; i < 300'000; ++i) many += "{{payload}}";

  ASSERT_FALSE(prepared(an_action(json::value(many))));
  EXPECT_EQ(prepared(an_action(json::value(many))).error().message, "the body is larger than 4194304 bytes");
}

TEST(HttpRequest, whose_escapes_make_it_larger_than_the_bound_is_not_made) {
  EXPECT_FALSE(prepared(an_action(json::array{std::string(3'000'000, '"')})));
}

TEST(HttpRequest, has_the_headers_of_the_action_with_secrets_filled_in) {
  HttpAction action = an_action();
  action.headers = {
      {"Authorization", "Bearer ${env:TOKEN}"}, {"content-type", "text/x"}, {"User-Agent", "me"}, {"X-Empty", ""}};

  const auto request = prepared(action);

  EXPECT_THAT(request->headers, AllOf(Contains(Pair("Authorization", "Bearer canary-token")),
                                      Contains(Pair("content-type", "text/x")), Contains(Pair("User-Agent", "me")),
                                      Contains(Pair("X-Empty", "")), Not(Contains(Pair("Content-Type", testing::_)))));
  EXPECT_THAT(request->secrets, ElementsAre("canary-token"));
}

TEST(HttpRequest, keeps_its_own_identity_whatever_the_action_says) {
  HttpAction action = an_action();
  action.headers = {{"IDEMPOTENCY-KEY", "mine"}, {"Webhook-Id", "mine"}, {"webhook-signature", "v1,mine"}};

  const auto request = prepared(action);

  EXPECT_THAT(request->headers, Not(Contains(Pair(testing::_, HasSubstr("mine")))));
}

TEST(HttpRequest, leaves_its_framing_and_its_target_to_the_sender) {
  for (const std::string name : {"Host", "content-length", "Transfer-Encoding", "CONNECTION", "Expect"}) {
    HttpAction action = an_action();
    action.headers = {{name, "1"}};
    const auto request = prepared(action);
    ASSERT_FALSE(request) << name;
    EXPECT_EQ(request.error().message, "the header " + name + " is set by carillon");
  }
}

TEST(HttpRequest, is_not_made_of_names_and_values_that_would_begin_a_new_line) {
  for (const std::string name : {"", "A:B", "A\r\nB", "A B", "A;"}) {
    HttpAction action = an_action();
    action.headers = {{name, "1"}};
    EXPECT_FALSE(prepared(action)) << name;
  }
  HttpAction action = an_action();
  action.headers = {{"X", "a\nb"}};
  EXPECT_FALSE(prepared(action));
}

TEST(HttpRequest, is_not_made_for_another_scheme_or_method) {
  for (const std::string url : {"file:///etc/passwd", "gopher://x", "http://ok@127.0.0.1/", "http://a b/", ""}) {
    HttpAction action = an_action();
    action.url = url;
    EXPECT_FALSE(prepared(action)) << url;
  }
  HttpAction action = an_action();
  action.method = "GET / HTTP/1.1\r\nX: ";
  EXPECT_FALSE(prepared(action));
  action.method = "HEAD";
  action.body = "text";
  EXPECT_FALSE(prepared(action));
}

TEST(HttpRequest, is_signed_when_there_is_a_secret) {
  HttpAction action = an_action("hello");
  action.signing_secret = "${env:KEY}";

  const auto request = prepared(action);

  // printf 'r-8f3k2m1x.1769522400.hello' | openssl dgst -sha256 -mac HMAC -macopt hexkey:… -binary | base64
  EXPECT_THAT(request->headers, Contains(Pair("webhook-timestamp", "1769522400")));
  EXPECT_THAT(request->headers, Contains(Pair("webhook-signature", "v1,GtL3oaBP6mp3hgJ3nc8AcMgW0cB1wY1M9teMQPzCSB0=")));
  EXPECT_THAT(request->secrets, ElementsAre("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
}

TEST(HttpRequest, never_shows_a_secret_in_an_error) {
  HttpAction with_line_break = an_action();
  with_line_break.headers = {{"Authorization", "${env:BROKEN}"}};
  HttpAction with_wrong_key = an_action();
  with_wrong_key.signing_secret = "${env:TOKEN}";

  for (const HttpAction& action : {with_line_break, with_wrong_key}) {
    const auto request = prepared(action);
    ASSERT_FALSE(request);
    EXPECT_THAT(request.error().message, Not(HasSubstr("canary")));
    for (const std::string& context : request.error().context) EXPECT_THAT(context, Not(HasSubstr("canary")));
  }
}

TEST(HttpRequest, names_the_reference_that_cannot_be_resolved) {
  HttpAction action = an_action();
  action.headers = {{"Authorization", "${env:MISSING}"}};

  const auto request = prepared(action);

  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().message, "${env:MISSING} is not set");
  EXPECT_THAT(request.error().context, ElementsAre("filling in the header Authorization"));
}

}  // namespace
}  // namespace carillon
