#include "support/tower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::SizeIs;

ScheduleBuilder minutely(CatchupPolicy policy) {
  return a_schedule().every(1min).catchup(policy).overlap(OverlapPolicy::allow_all);
}

TEST(CatchingUp, within_the_grace_every_occurrence_gets_its_own_decision) {
  Tower tower{minutely(CatchupPolicy::none).with([](Policies& p) { p.catchup.grace = 3min; }), "08:59:30"};

  tower.sleep_until("09:02:30");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:01 started", "09:02 started"));
}

TEST(CatchingUp, exactly_as_late_as_the_grace_is_in_time) {
  Tower tower{minutely(CatchupPolicy::none), "08:59:30"};

  tower.sleep_until("09:01:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:01 started"));
}

TEST(CatchingUp, latest_starts_the_newest_missed_one_and_skips_the_others_in_one_row) {
  Tower tower{minutely(CatchupPolicy::latest), "08:59:30"};

  tower.sleep_until("10:00:30");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 … 09:58 (59) skipped(superseded)", "09:59 catchup started",
                                          "10:00 started"));
}

TEST(CatchingUp, none_skips_what_was_missed) {
  Tower tower{minutely(CatchupPolicy::none), "08:59:30"};

  tower.sleep_until("10:00:30");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 … 09:59 (60) skipped(missed)", "10:00 started"));
}

TEST(CatchingUp, all_starts_each) {
  Tower tower{minutely(CatchupPolicy::all), "08:59:30"};

  tower.sleep_until("09:03:30");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 catchup started", "09:01 catchup started",
                                          "09:02 catchup started", "09:03 started"));
}

TEST(CatchingUp, all_stops_at_its_limit_and_keeps_the_newest) {
  Tower tower{minutely(CatchupPolicy::all).with([](Policies& p) { p.catchup.run_count_max = 2; }), "08:59:30"};

  tower.sleep_until("09:05:30");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 … 09:02 (3) skipped(quota)", "09:03 catchup started",
                                          "09:04 catchup started", "09:05 started"));
}

TEST(CatchingUp, nothing_older_than_the_window_starts) {
  const auto with_window = [](CatchupPolicy policy) {
    return minutely(policy).with([](Policies& p) { p.catchup.window = 150s; });
  };
  Tower all{with_window(CatchupPolicy::all), "08:59:30"};
  Tower latest{with_window(CatchupPolicy::latest), "08:59:30"};

  all.sleep_until("09:10:00");
  latest.sleep_until("09:10:00");

  EXPECT_THAT(all.ledger(), ElementsAre("created", "09:00 … 09:07 (8) skipped(missed)", "09:08 catchup started",
                                        "09:09 started", "09:10 started"));
  EXPECT_THAT(latest.ledger(), ElementsAre("created", "09:00 … 09:07 (8) skipped(missed)", "09:08 catchup started",
                                           "09:09 started", "09:10 started"));
}

TEST(CatchingUp, a_window_shorter_than_the_grace_holds_for_late_ones_too) {
  for (const CatchupPolicy policy : {CatchupPolicy::all, CatchupPolicy::latest, CatchupPolicy::none}) {
    Tower tower{a_schedule().every(5s).catchup(policy).overlap(OverlapPolicy::allow_all).with([](Policies& p) {
                  p.catchup.window = 10s;
                }),
                "09:00:00"};

    tower.sleep_until("09:00:30");

    EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00:05 … 09:00:15 (3) skipped(missed)", "09:00:20 started",
                                            "09:00:25 started", "09:00:30 started"));
  }
}

TEST(CatchingUp, a_grace_below_what_a_loop_can_keep_is_raised) {
  Tower tower{minutely(CatchupPolicy::none).with([](Policies& p) { p.catchup.grace = 0s; }), "08:59:30"};

  tower.sleep_until("09:00:01");
  tower.sleep_until("2027-03-01T09:01:01.000001Z");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:01 catchup skipped(missed)"));
}

TEST(CatchingUp, a_window_below_what_a_loop_can_keep_is_raised) {
  Tower tower{minutely(CatchupPolicy::latest).with([](Policies& p) { p.catchup.window = 0s; }), "08:59:30"};

  tower.sleep_until("09:00:01");
  tower.sleep_until("2027-03-01T09:01:01.000001Z");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:01 catchup skipped(missed)"));
}

TEST(CatchingUp, a_window_below_what_a_loop_can_keep_is_raised_for_waiting_ones_too) {
  Tower tower{
      a_schedule().every(1min).overlap(OverlapPolicy::buffer_one).with([](Policies& p) { p.catchup.window = 0s; }),
      "08:59:30"};
  tower.until("09:01:00");

  tower.sleep_until("09:01:01");
  tower.finish("09:00");
  tower.look();

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:01 started"));
}

TEST(CatchingUp, a_window_shorter_than_the_newest_is_late_starts_nothing) {
  Tower tower{a_schedule().every(1h).with([](Policies& p) { p.catchup.window = 10min; }), "08:30"};

  tower.sleep_until("11:30");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 … 11:00 (3) skipped(missed)"));
}

TEST(CatchingUp, a_wait_is_missed_by_the_window_of_the_definition_that_ends_it) {
  const auto with_window = [](Duration window) {
    return a_schedule().every(5min).overlap(OverlapPolicy::buffer_one).with([=](Policies& p) {
      p.catchup.window = window;
    });
  };
  const auto outcome = [&](Duration before, Duration after) {
    Tower tower{with_window(before), "08:58"};
    tower.until("09:06");
    EXPECT_TRUE(tower.edit(with_window(after)));
    tower.until("09:09");
    tower.finish("09:00");
    return tower.ledger();
  };

  EXPECT_THAT(outcome(1h, 2min), ElementsAre("created", "09:00 started", "09:05 skipped(missed)", "updated"));
  EXPECT_THAT(outcome(2min, 1h), ElementsAre("created", "09:00 started", "09:05 started", "updated"));
}

TEST(CatchingUp, what_is_caught_up_goes_through_overlap) {
  Tower tower{a_schedule().every(1min).catchup(CatchupPolicy::all), "08:59:30"};

  tower.sleep_until("09:03:30");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 catchup started", "09:01 catchup skipped(outage)",
                                          "09:02 catchup skipped(outage)", "09:03 skipped(outage)"));
}

TEST(CatchingUp, one_missed_occurrence_is_a_row_of_its_own_not_a_range) {
  Tower tower{a_schedule().every(1h).catchup(CatchupPolicy::none), "08:30"};

  tower.sleep_until("09:30");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 catchup skipped(missed)"));
}

TEST(CatchingUp, a_million_missed_minutes_are_two_rows) {
  Tower tower{minutely(CatchupPolicy::latest), "2027-01-01T00:00:30Z"};

  tower.sleep_until("2028-12-01T00:00:30Z");

  EXPECT_THAT(tower.ranges(), SizeIs(1));
  EXPECT_EQ(tower.ranges()[0].count, 700LL * 24 * 60 - 2);
  EXPECT_EQ(tower.started_count(), 2U);
  EXPECT_EQ(tower.state().wake, at("2028-12-01T00:01:00Z"));
}

TEST(CatchingUp, a_burst_is_decided_in_parts_and_none_is_left_out) {
  Tower tower{a_schedule().every(1s).overlap(OverlapPolicy::allow_all).with([](Policies& p) { p.catchup.grace = 1h; }),
              "09:00:00"};

  tower.set_clock(moment("09:45:00"));
  ASSERT_TRUE(tower.happens(BecameDue{}));
  EXPECT_EQ(tower.rows().size(), decisions_per_step_max);
  EXPECT_EQ(tower.state().wake, tower.now());

  tower.look();
  EXPECT_EQ(tower.started_count(), 2700U);
  EXPECT_EQ(tower.state().cursor, moment("09:45:00"));
}

TEST(CatchingUp, lateness_is_measured_from_the_due_time_not_the_nominal_one) {
  Tower tower{a_schedule().every(1h).jitter(50min).catchup(CatchupPolicy::none), "08:30"};
  const Instant due = tower.definition().due(moment("09:00"));
  ASSERT_GT(due, moment("09:01:30")) << "this name draws too little jitter for the test";

  tower.sleep_until(due + 59s);

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started"));
}

}  // namespace
}  // namespace carillon::testing
