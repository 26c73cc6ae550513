#include "api/rest_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <new>
#include <string>
#include <utility>

namespace carillon::testing {
namespace {

using ::testing::HasSubstr;

/// Knows what was written with a change, but can keep no answer.
class KeepsNoAnswer final : public IdempotencyStore {
 public:
  Result<std::optional<IdempotencyRecord>> find_request(const std::string& key) override {
    return below_->find_request(key);
  }
  Result<> keep_answer(const IdempotencyKey&, const std::string&) override {
    return fail(ErrorCode::unavailable, "the disk is full");
  }
  void use(IdempotencyStore& below) { below_ = &below; }

 private:
  IdempotencyStore* below_ = nullptr;
};

/// Has no memory for any question.
class StarvedRequests final : public IdempotencyStore {
 public:
  Result<std::optional<IdempotencyRecord>> find_request(const std::string&) override { throw std::bad_alloc{}; }
  Result<> keep_answer(const IdempotencyKey&, const std::string&) override { return {}; }
};

TEST(Throwing, a_request_is_answered_all_the_same) {
  StarvedRequests requests;
  RestWorld world{{.writer_count = 1, .reader_count = 1}, nullptr, &requests};
  http::Request request{
      .method = http::Method::post, .target = "/api/v1/schedules", .body = R"({"id":"a","jobType":"t"})"};
  request.headers.add("Host", "localhost");
  request.headers.add("Authorization", "Bearer admin");
  request.headers.add("Content-Type", "application/json");
  request.headers.add("Idempotency-Key", "key");

  const auto first = world.ask(request);
  const auto second = world.ask(request);

  EXPECT_EQ(first.status, 500) << first.body;
  EXPECT_THAT(first.body, HasSubstr(R"("code":"internal")")) << "with the number that the log has it under";
  EXPECT_EQ(second.status, 500) << "its key is not taken for one in progress: " << second.body;
}

class Repeating : public ::testing::Test {
 protected:
  Repeating() { requests_.use(world_.store()); }

  http::Response ask(http::Method method, std::string target, std::string body, const std::string& key) {
    http::Request request{.method = method, .target = std::move(target), .body = std::move(body)};
    request.headers.add("Host", "localhost");
    request.headers.add("Authorization", "Bearer admin");
    request.headers.add("Content-Type", "application/json");
    if (!key.empty()) request.headers.add("Idempotency-Key", key);
    return world_.ask(std::move(request));
  }
  void create(const std::string& id) {
    ASSERT_EQ(
        ask(http::Method::post, "/api/v1/schedules", fmt::format(R"({{"id":"{}","jobType":"t","every":"1h"}})", id), "")
            .status,
        201);
  }
  /// Both answers of a request that is sent twice with the same key.
  std::pair<http::Response, http::Response> twice(http::Method method, const std::string& target,
                                                  const std::string& body) {
    const std::string key = fmt::format("key-{}", ++key_count_);
    auto first = ask(method, target, body, key);
    return {std::move(first), ask(method, target, body, key)};
  }

  KeepsNoAnswer requests_;
  RestWorld world_{{.writer_count = 1, .reader_count = 1}, nullptr, &requests_};
  int key_count_ = 0;
};

std::string header(const http::Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return {};
}

TEST_F(Repeating, a_request_whose_answer_was_not_kept_gives_an_answer_of_the_same_kind) {
  create("bell");
  struct Case {
    http::Method method;
    std::string target;
    std::string body;
    int status;
    std::string contains;
  };
  const std::vector<Case> cases{
      {http::Method::post, "/api/v1/schedules", R"({"id":"fresh","jobType":"t"})", 201, R"("id":"fresh")"},
      {http::Method::put, "/api/v1/schedules/placed", R"({"jobType":"t"})", 201, R"("id":"placed")"},
      {http::Method::put, "/api/v1/schedules/bell", R"({"jobType":"u","every":"1h"})", 200, R"("type":"u")"},
      {http::Method::post, "/api/v1/schedules/bell/pause", R"({"reason":"r"})", 200, R"("status":"paused")"},
      {http::Method::post, "/api/v1/schedules/bell/trigger", "{}", 202, R"("decision")"},
      {http::Method::post, "/api/v1/jobs", R"({"jobType":"t"})", 201, R"("source":"adhoc")"},
      {http::Method::post, "/api/v1/schedules/bell/backfills",
       R"({"from":"2026-05-31T00:00:00Z","to":"2026-05-31T03:00:00Z"})", 201, R"("reprocess")"},
      {http::Method::del, "/api/v1/schedules/bell", "", 204, ""},
  };

  for (const Case& one : cases) {
    const auto [first, second] = twice(one.method, one.target, one.body);
    EXPECT_EQ(first.status, one.status) << one.target << first.body;
    EXPECT_EQ(second.status, one.status) << one.target << second.body;
    EXPECT_THAT(second.body, HasSubstr(one.contains)) << one.target;
    EXPECT_EQ(header(second, "Location"), header(first, "Location")) << one.target;
    EXPECT_EQ(header(second, "Idempotency-Replayed"), "true") << one.target;
  }
}

TEST_F(Repeating, spaces_and_the_order_of_members_make_no_other_request) {
  const auto first = ask(http::Method::post, "/api/v1/schedules", R"({"id":"spaced","jobType":"t"})", "k");
  const auto second = ask(http::Method::post, "/api/v1/schedules", "{ \"jobType\": \"t\",\n \"id\": \"spaced\" }", "k");
  const auto other = ask(http::Method::post, "/api/v1/schedules", R"({"id":"spaced","jobType":"u"})", "k");

  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(second.status, 201) << second.body;
  EXPECT_EQ(other.status, 422);
}

TEST_F(Repeating, a_token_is_not_made_twice_and_its_id_is_told) {
  const std::string body = R"({"name":"ci","role":"viewer"})";
  const auto first = ask(http::Method::post, "/api/v1/tokens", body, "token-key");
  const auto second = ask(http::Method::post, "/api/v1/tokens", body, "token-key");
  const auto other = ask(http::Method::post, "/api/v1/tokens", body, "another-key");

  ASSERT_EQ(first.status, 201) << first.body;
  const std::size_t begin = first.body.find(R"("id":")") + 6;
  const std::string id = first.body.substr(begin, 8);
  EXPECT_EQ(second.status, 409);
  EXPECT_THAT(second.body, HasSubstr(id));
  EXPECT_THAT(second.body, HasSubstr(R"("code":"token_exists")")) << "with what to do, not as a name that is taken";
  EXPECT_EQ(other.status, 201);
}

TEST_F(Repeating, a_batch_does_to_each_schedule_only_once) {
  create("one");
  create("two");
  const std::string body = R"({"operation":"trigger","ids":["one","two"]})";

  const auto [first, second] = twice(http::Method::post, "/api/v1/schedules/batch", body);

  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(second.status, 200) << second.body;
  EXPECT_THAT(second.body, ::testing::Not(HasSubstr(R"("ok":false)")));
  const auto runs = ask(http::Method::get, "/api/v1/runs?schedule=one", "", "");
  EXPECT_EQ(runs.body.find(R"("source":"trigger")"), runs.body.rfind(R"("source":"trigger")")) << runs.body;
  EXPECT_THAT(runs.body, HasSubstr(R"("source":"trigger")"));
}

}  // namespace
}  // namespace carillon::testing
