#include "engine/lane.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

const QueueLane plain{.queue = "default"};

TEST(Lanes, a_queue_without_wishes_is_its_own_lane) {
  EXPECT_EQ(lane_name({.queue = "@command"}), "@command");
  EXPECT_EQ(read_lane("@command").queue, "@command");
  EXPECT_TRUE(read_lane("@command").type.empty());
  EXPECT_EQ(queue_of_lane("@command"), "@command");
}

TEST(Lanes, a_name_says_all_that_a_lane_is) {
  const QueueLane lane{.queue = "billing/reports",
                       .type = "a|b%7C",
                       .tags = {"gpu", "ssd"},
                       .concurrency = Policies::Concurrency{.key = "a|b:c", .limit = 12}};

  const QueueLane read = read_lane(lane_name(lane));

  EXPECT_EQ(read.queue, lane.queue);
  EXPECT_EQ(read.type, lane.type);
  EXPECT_EQ(read.tags, lane.tags);
  EXPECT_EQ(read.concurrency, lane.concurrency);
  EXPECT_EQ(queue_of_lane(lane_name(lane)), "billing/reports");
}

TEST(Lanes, a_worker_takes_what_it_has_type_and_tags_for) {
  const std::vector<std::string> queues{"default"};
  const LaneFilter any{queues, {}};
  const LaneFilter reporter{queues, {.types = {"report"}, .tags = {"gpu", "ssd"}}};

  EXPECT_TRUE(any.admits(plain));
  EXPECT_TRUE(any.admits({.queue = "default", .type = "report"}));
  EXPECT_FALSE(any.admits({.queue = "other"}));
  EXPECT_FALSE(any.admits({.queue = "default", .tags = {"gpu"}}));
  EXPECT_TRUE(reporter.admits(plain));
  EXPECT_TRUE(reporter.admits({.queue = "default", .type = "report", .tags = {"gpu"}}));
  EXPECT_FALSE(reporter.admits({.queue = "default", .type = "mail"}));
  EXPECT_FALSE(reporter.admits({.queue = "default", .type = "report", .tags = {"arm"}}));
}

TEST(Lanes, a_limit_counts_the_whole_queue) {
  ConcurrencyRoom room;
  room.limit_queue("default", 2);
  room.count_running("default|report||", 1);

  EXPECT_TRUE(room.take("default|mail||"));
  EXPECT_FALSE(room.take("default|report||"));
  EXPECT_FALSE(room.take("default"));
  EXPECT_TRUE(room.take("other"));
}

TEST(Lanes, a_key_counts_within_its_queue_whatever_the_type) {
  ConcurrencyRoom room;

  EXPECT_TRUE(room.take("default|report||1:customer"));
  EXPECT_FALSE(room.take("default|mail||1:customer"));
  EXPECT_TRUE(room.take("default|mail||2:customer"));
  EXPECT_FALSE(room.take("default|mail||2:customer"));
  EXPECT_TRUE(room.take("default|mail||1:another"));
  EXPECT_TRUE(room.take("other|mail||1:customer"));
}

}  // namespace
}  // namespace carillon
