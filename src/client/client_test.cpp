#include "client/client.hpp"

#include "support/scripted_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ClientTest : public testing::Test {
 protected:
  ScriptedTransport transport_;
  Client client_{transport_, {.url = "http://host:1", .token = "secret"}};
};

TEST_F(ClientTest, calls_below_the_base_path_and_says_who_calls) {
  transport_.answer("GET /api/v1/schedules/a", R"({"id": "a"})", {{"etag", "\"3\""}});

  const auto answer = client_.get("/schedules/a");

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->etag, "\"3\"");
  EXPECT_EQ(answer->body.at("id"), "a");
  EXPECT_EQ(transport_.requests.front().url, "http://host:1/api/v1/schedules/a");
  EXPECT_EQ(transport_.header("Authorization"), "Bearer secret");
}

TEST_F(ClientTest, encodes_what_would_mean_something_in_an_address) {
  EXPECT_EQ(path_part("nightly@2026-11-20T03:00:00Z"), "nightly%402026-11-20T03%3A00%3A00Z");
  EXPECT_EQ(path_part("a/../b?c#d é"), "a%2F..%2Fb%3Fc%23d%20%C3%A9");
}

TEST_F(ClientTest, leaves_out_what_is_empty_and_names_the_namespace) {
  Client client{transport_, {.url = "http://host:1", .name_space = "team a"}};
  transport_.answer("GET /api/v1/runs?state=failed&namespace=team%20a", R"({"items": []})");

  EXPECT_TRUE(client.get("/runs", {{"state", "failed"}, {"schedule", ""}}));
}

TEST_F(ClientTest, sends_what_a_write_depends_on) {
  transport_.answer("PATCH /api/v1/schedules/a", "{}");

  ASSERT_TRUE(client_.patch("/schedules/a", {{"name", "A"}}, {}, {.if_match = "\"3\"", .idempotency_key = "k"}));

  EXPECT_EQ(transport_.requests.front().body, R"({"name":"A"})");
  EXPECT_EQ(transport_.header("If-Match"), "\"3\"");
  EXPECT_EQ(transport_.header("Idempotency-Key"), "k");
  EXPECT_EQ(transport_.header("Content-Type"), "application/json");
}

TEST_F(ClientTest, puts_pages_together) {
  transport_.answer("GET /api/v1/schedules?limit=500", R"({"items": [1, 2], "total": 3, "nextPageToken": "x"})");
  transport_.answer("GET /api/v1/schedules?limit=500&pageToken=x",
                    R"({"items": [3], "total": 3, "nextPageToken": null})");

  const auto list = client_.list("/schedules", {}, 1000);

  ASSERT_TRUE(list);
  EXPECT_EQ(list->items, (boost::json::array{1, 2, 3}));
  EXPECT_EQ(list->total, 3);
  EXPECT_FALSE(list->has_more);
}

TEST_F(ClientTest, asks_for_no_more_than_is_wanted) {
  transport_.answer("GET /api/v1/schedules?limit=2", R"({"items": [1, 2], "total": 3, "nextPageToken": "x"})");

  const auto list = client_.list("/schedules", {}, 2);

  ASSERT_TRUE(list);
  EXPECT_TRUE(list->has_more);
}

TEST_F(ClientTest, tells_every_fault_of_a_refused_document) {
  transport_.refuse("POST /api/v1/schedules", 422,
                    R"({"title": "The request is not valid", "code": "invalid", "detail": "two faults.",
                        "errors": [{"pointer": "/spec/cron/0", "code": "x", "message": "above 59", "hint": "0-59"},
                                   {"pointer": "/name", "code": "y", "message": "too long", "hint": ""}]})");

  const auto answer = client_.post("/schedules", boost::json::object{});

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(answer.error().rule, "invalid");
  EXPECT_EQ(answer.error().message, "two faults");
  EXPECT_THAT(answer.error().context, ElementsAre("/spec/cron/0: above 59 — 0-59", "/name: too long"));
}

TEST_F(ClientTest, knows_what_kind_of_refusal_it_is) {
  struct Case {
    int status;
    ErrorCode code;
    std::string_view rule;
  };
  for (const Case& expected :
       {Case{401, ErrorCode::invalid_argument, "unauthorized"}, Case{403, ErrorCode::invalid_argument, "forbidden"},
        Case{404, ErrorCode::not_found, "not_found"}, Case{409, ErrorCode::conflict, ""},
        Case{412, ErrorCode::conflict, "stale"}, Case{429, ErrorCode::unavailable, "too_many_requests"},
        Case{503, ErrorCode::unavailable, ""}}) {
    const Error error = error_of({.status = expected.status, .body = "<html>"});

    EXPECT_EQ(error.code, expected.code) << expected.status;
    EXPECT_EQ(error.rule, expected.rule) << expected.status;
    EXPECT_THAT(error.message, HasSubstr(std::to_string(expected.status)));
  }
}

TEST_F(ClientTest, does_not_take_any_web_server_for_carillon) {
  transport_.answer("GET /api/v1/system", "<html>");

  const auto answer = client_.get("/system");

  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("http://host:1 does not answer as a carillon server does"));
}

TEST_F(ClientTest, hands_a_stream_over_as_it_comes) {
  transport_.answer("GET /api/v1/runs/r-1/logs?follow=true", "hello");
  std::string heard;

  const auto answer = client_.stream("/runs/r-1/logs", {{"follow", "true"}}, [&](std::string_view piece) {
    heard += piece;
    return true;
  });

  ASSERT_TRUE(answer);
  EXPECT_EQ(heard, "hello");
}

TEST_F(ClientTest, shows_every_exchange_to_who_wants_to_see_it) {
  std::vector<std::string> seen;
  Client client{
      transport_, {.url = "http://host:1"}, [&](const ServerRequest& request, const Result<ServerAnswer>& answer) {
        seen.push_back(request.method + " " + std::to_string(answer ? answer->status : 0));
      }};
  transport_.answer("GET /api/v1/system", "{}");

  EXPECT_TRUE(client.get("/system"));
  EXPECT_FALSE(client.get("/elsewhere"));

  EXPECT_THAT(seen, ElementsAre("GET 200", "GET 404"));
}

TEST(Client, names_the_request_where_the_servers_log_says_more) {
  const Error error =
      error_of({.status = 503,
                .headers = {{"x-request-id", "0af3"}},
                .body = R"({"title": "Unavailable", "code": "unavailable", "detail": "the disk is full"})"});

  ASSERT_EQ(error.context.size(), 1U);
  EXPECT_EQ(error.context.front(), "request 0af3");
  EXPECT_TRUE(error_of({.status = 404, .headers = {{"x-request-id", "0af3"}}, .body = "{}"}).context.empty());
}

}  // namespace
}  // namespace carillon
