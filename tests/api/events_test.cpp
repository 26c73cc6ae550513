#include "api/rest_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace carillon::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

http::Request a_request(http::Method method, std::string target, std::string body = {}) {
  http::Request request{.method = method, .target = std::move(target), .body = std::move(body)};
  request.headers.add("Host", "localhost");
  request.headers.add("Authorization", "Bearer admin");
  request.headers.add("Content-Type", "application/json");
  return request;
}

std::shared_ptr<StreamReader> watch(RestWorld& world, const std::string& query = "") {
  return world.start(a_request(http::Method::get, "/api/v1/events" + query))->stream();
}

int create(RestWorld& world, const std::string& id) {
  return world
      .ask(a_request(http::Method::post, "/api/v1/schedules", R"({"id":")" + id + R"(","jobType":"t","every":"1h"})"))
      .status;
}

/// Of which everything up to position 50 has been forgotten.
class ShortMemory final : public EventFeed {
 public:
  Result<FeedPage> read_events(std::optional<std::int64_t> after, std::size_t) override {
    return FeedPage{.events = {}, .newest = 100, .is_gap = after && *after < 50};
  }
};

TEST(Events, keep_a_quiet_connection_open) {
  RestWorld world{{.writer_count = 1, .reader_count = 1, .beat_interval = std::chrono::milliseconds{1}}};
  const auto stream = watch(world);

  EXPECT_NE(stream->wait_for(": still here\n\n"), "");
}

TEST(Events, reach_others_when_one_reads_too_slowly) {
  RestWorld world;
  const auto slow = watch(world);
  const auto quick = watch(world);
  ASSERT_NE(slow->wait_for("server.status"), "");
  ASSERT_NE(quick->wait_for("server.status"), "");

  slow->go_deaf();
  ASSERT_EQ(create(world, "first"), 201);
  ASSERT_NE(quick->wait_for(R"("id":"first")"), "");
  ASSERT_EQ(create(world, "second"), 201);

  EXPECT_THAT(quick->wait_for(R"("id":"second")"), HasSubstr("event: schedule.changed"));
}

TEST(Events, that_are_too_old_to_be_told_are_said_to_be_missing) {
  ShortMemory feed;
  RestWorld world{{.writer_count = 1, .reader_count = 1}, &feed};

  const auto just_in_time = watch(world, "?lastEventId=50");
  const auto late = watch(world, "?lastEventId=49");

  EXPECT_THAT(late->wait_for("resync"), AllOf(HasSubstr("id: 100\nevent: resync\n"), HasSubstr("too_old")));
  EXPECT_THAT(just_in_time->wait_for("server.status"), AllOf(HasSubstr("running"), Not(HasSubstr("resync"))));
}

}  // namespace
}  // namespace carillon::testing
