#include "base/loop_monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

class LoopMonitorTest : public testing::Test {
 protected:
  Duration now_ = 100s;
  LoopMonitor monitor_{30s, [this] { return now_; }};

  [[nodiscard]] std::string told() const { return to_text(monitor_.stalled()); }
};

TEST_F(LoopMonitorTest, names_the_loop_that_is_silent_for_too_long_though_others_go_on) {
  const auto decider = monitor_.add("decider");
  const auto worker = monitor_.add("worker");

  now_ += 30s;
  decider.beat();
  EXPECT_EQ(told(), "");
  now_ += 1s;

  EXPECT_EQ(told(), "worker for 31s");
}

TEST_F(LoopMonitorTest, forgives_a_loop_that_goes_on) {
  const auto worker = monitor_.add("worker");
  now_ += 1h;
  EXPECT_EQ(told(), "worker for 1h");

  worker.beat();

  EXPECT_EQ(told(), "");
}

TEST_F(LoopMonitorTest, expects_nothing_of_one_that_rests) {
  const auto writer = monitor_.add("writer");
  writer.rest();
  now_ += 1h;
  EXPECT_EQ(told(), "");

  writer.beat();
  now_ += 31s;

  EXPECT_EQ(told(), "writer for 31s");
}

TEST_F(LoopMonitorTest, has_more_patience_where_it_was_asked_for) {
  const auto readers = monitor_.add("readers", 4);

  now_ += 120s;
  EXPECT_EQ(told(), "");
  now_ += 1s;

  EXPECT_EQ(told(), "readers for 2m1s");
}

TEST_F(LoopMonitorTest, tells_loops_of_one_name_as_one) {
  const auto first = monitor_.add("api");
  const auto second = monitor_.add("api");
  now_ += 31s;
  first.beat();

  EXPECT_THAT(monitor_.states(), SizeIs(1));
  EXPECT_EQ(told(), "api for 31s");
}

TEST_F(LoopMonitorTest, forgets_a_loop_that_has_ended) {
  {
    const auto worker = monitor_.add("worker");
    now_ += 1h;
  }

  EXPECT_THAT(monitor_.states(), IsEmpty());
}

TEST(Pulse, without_a_monitor_does_nothing) {
  const LoopMonitor::Pulse pulse = pulse_of(nullptr, "worker");
  pulse.beat();
  pulse.rest();
}

}  // namespace
}  // namespace carillon
