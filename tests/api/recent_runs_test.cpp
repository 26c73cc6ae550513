#include "api/rest_world.hpp"
#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include <string>
#include <utility>

namespace carillon::testing {
namespace {

http::Request request_for(http::Method method, std::string target, std::string body = {}) {
  http::Request request{.method = method, .target = std::move(target), .body = std::move(body)};
  request.headers.add("Host", "localhost");
  request.headers.add("Authorization", "Bearer admin");
  request.headers.add("Content-Type", "application/json");
  return request;
}

boost::json::object item(RestWorld& world, const std::string& query) {
  const auto response = world.ask(request_for(http::Method::get, "/api/v1/schedules" + query));
  return parse_json(response.body).value().at("items").at(0).as_object();
}

class RecentRuns : public ::testing::Test {
 protected:
  RecentRuns() {
    const std::string body = R"({"id":"bell","jobType":"t"})";
    EXPECT_EQ(world_.ask(request_for(http::Method::post, "/api/v1/schedules", body)).status, 201);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(world_.ask(request_for(http::Method::post, "/api/v1/schedules/bell/trigger")).status, 202);
      world_.clock().advance(std::chrono::minutes{1});
    }
  }
  RestWorld world_;
};

TEST_F(RecentRuns, are_in_a_list_only_if_they_are_asked_for) {
  EXPECT_FALSE(item(world_, "").contains("recent"));
  EXPECT_FALSE(item(world_, "?recent=0").contains("recent"));
  EXPECT_EQ(item(world_, "?recent=2").at("recent").as_array().size(), 2U);
  EXPECT_EQ(item(world_, "?recent=10").at("recent").as_array().size(), 3U);
  EXPECT_FALSE(item(world_, "?recent=10").contains("recentRuns"));
}

TEST_F(RecentRuns, stand_beside_the_spec_in_words_if_that_is_asked_for_too) {
  const std::string body = R"({"id":"a-first","jobType":"t","cron":"30 2 * * *","timezone":"UTC"})";
  ASSERT_EQ(world_.ask(request_for(http::Method::post, "/api/v1/schedules", body)).status, 201);

  EXPECT_EQ(item(world_, "?sentence=true").at("sentence").as_string(), "At 02:30 every day");
  EXPECT_FALSE(item(world_, "").contains("sentence"));
}

TEST_F(RecentRuns, are_the_newest_and_newest_first) {
  const auto recent = item(world_, "?recent=2").at("recent").as_array();

  EXPECT_EQ(recent.at(0).at("nominal").as_string(), "2026-06-01T12:02:00Z");
  EXPECT_EQ(recent.at(1).at("nominal").as_string(), "2026-06-01T12:01:00Z");
  EXPECT_EQ(recent.at(0).at("state").as_string(), "queued");
  EXPECT_TRUE(recent.at(0).at("id").as_string().starts_with("r-"));
  EXPECT_TRUE(recent.at(0).at("startedAt").is_null());
  EXPECT_TRUE(recent.at(0).at("durationMs").is_null());
}

TEST_F(RecentRuns, are_at_most_ten) {
  EXPECT_EQ(world_.ask(request_for(http::Method::get, "/api/v1/schedules?recent=11")).status, 422);
}

TEST_F(RecentRuns, may_be_sent_back_with_what_a_list_has_answered) {
  auto answered = item(world_, "?recent=2");
  answered["name"] = "Bell";

  const auto put =
      world_.ask(request_for(http::Method::put, "/api/v1/schedules/bell", boost::json::serialize(answered)));

  EXPECT_EQ(put.status, 200) << put.body;
}

}  // namespace
}  // namespace carillon::testing
