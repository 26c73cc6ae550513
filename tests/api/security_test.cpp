#include "api/rest_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <openssl/crypto.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

std::vector<std::size_t>& compared_sizes() {
  static std::vector<std::size_t> sizes;
  return sizes;
}

}  // namespace

/// In place of OpenSSL's, for the tests of this program: looks at every byte, and remembers how many.
extern "C" int CRYPTO_memcmp(const void* a, const void* b, std::size_t size) {
  compared_sizes().push_back(size);
  int difference = 0;
  for (std::size_t i = 0; i < size; ++i)
    difference |= static_cast<const unsigned char*>(a)[i] ^ static_cast<const unsigned char*>(b)[i];
  return difference;
}

namespace carillon::testing {
namespace {

using ::testing::ElementsAre;

http::Request token_request(http::Method method, std::string target, std::string_view bearer, std::string body = {}) {
  http::Request request{.method = method, .target = std::move(target), .body = std::move(body)};
  request.headers.add("Host", "localhost");
  request.headers.add("Authorization", "Bearer " + std::string{bearer});
  request.headers.add("Content-Type", "application/json");
  return request;
}

std::string another(std::string text, std::size_t place) {
  text[place] = text[place] == '1' ? '2' : '1';
  return text;
}

/// How many bytes each comparison of secrets looked at while this was answered.
std::vector<std::size_t> compared_by(RestWorld& world, http::Request request, int status) {
  compared_sizes().clear();
  EXPECT_EQ(world.ask(std::move(request)).status, status);
  return compared_sizes();
}

TEST(S5, a_wrong_token_is_compared_as_long_as_the_right_one) {
  RestWorld world;
  const std::string right = world.token("admin");
  const std::size_t secret = right.rfind('_') + 1;
  const auto ask = [&](const std::string& token, int status) {
    return compared_by(world, token_request(http::Method::get, "/version", token), status);
  };

  EXPECT_THAT(ask(right, 200), ElementsAre(32));
  EXPECT_THAT(ask(another(right, secret), 401), ElementsAre(32)) << "wrong from the first letter on";
  EXPECT_THAT(ask(another(right, right.size() - 1), 401), ElementsAre(32)) << "wrong in the last letter";
}

TEST(S5, a_wrong_session_of_a_worker_is_compared_as_long_as_the_right_one) {
  RestWorld world;
  const http::Response opened = world.ask(token_request(http::Method::post, "/api/v1/workers", "worker",
                                                        R"({"name":"w","queues":["default"],"lease":"1m"})"));
  const std::string right = opened.body.substr(opened.body.find("w-"), 2 + 16 + 32 + 14);
  const auto ask = [&](const std::string& session, int status) {
    return compared_by(world, token_request(http::Method::post, "/api/v1/workers/" + session + "/heartbeat", "worker"),
                       status);
  };

  // The token was right a moment ago: of it only the keyed hash is looked at.
  EXPECT_THAT(ask(right, 200), ElementsAre(16));
  EXPECT_THAT(ask(another(right, 2 + 16), 404), ElementsAre(16));
  EXPECT_THAT(ask(another(right, 2 + 16 + 31), 404), ElementsAre(16));
}

TEST(S42, five_thousand_starts_at_once_are_bounded_and_hold_up_nobody_else) {
  RestWorld world;
  ASSERT_EQ(
      world.ask(token_request(http::Method::post, "/api/v1/schedules", "admin", R"({"id":"a","jobType":"t"})")).status,
      201);
  std::size_t started = 0;
  const auto trigger = [&](std::string_view token) {
    return world.ask(token_request(http::Method::post, "/api/v1/schedules/a/trigger", token));
  };

  for (int i = 0; i < 5'000; ++i) {
    const http::Response response = trigger("operator");
    if (response.status == 202) ++started;
    if (response.status == 202) continue;
    ASSERT_EQ(response.status, 429);
    ASSERT_THAT(response.headers, ::testing::Contains(::testing::Pair("Retry-After", "1")));
  }

  EXPECT_EQ(started, 2'000U);
  EXPECT_EQ(trigger("editor").status, 202) << "another token";
  EXPECT_EQ(world.ask(token_request(http::Method::get, "/api/v1/schedules/a", "operator")).status, 200);
  world.clock().advance(std::chrono::seconds{1});
  EXPECT_EQ(trigger("operator").status, 202) << "a moment later";
}

}  // namespace
}  // namespace carillon::testing
