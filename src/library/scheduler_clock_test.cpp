#include "library/scheduler_test.hpp"

#include <memory>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

// Long before this program was made: a clock of the machine that showed this would not be believed.
const TimePoint start_of_2020 = sys_days{std::chrono::year{2020} / 1 / 1};

class SchedulerClock : public ::testing::Test {
 protected:
  std::shared_ptr<ManualWallClock> clock = std::make_shared<ManualWallClock>(start_of_2020 + 30min);
  Mailbox<RunContext> runs;
  Scheduler scheduler = Scheduler::open({.clock = clock}).value();

  /// For which time the next run was. It has ended, so that it is in nobody's way.
  TimePoint next_nominal() {
    const RunContext run = runs.take();
    if (!scheduler.wait(run.run_id, 30s).value().has_ended()) throw std::runtime_error{"the run has not ended"};
    return run.nominal;
  }
};

TEST_F(SchedulerClock, decides_what_is_due_when_it_is_set) {
  scheduler.must_register({.id = "daily", .cron = {"0 3 * * *"}}, [&](const RunContext& run) { runs.put(run); });
  ASSERT_TRUE(scheduler.start());

  clock->set(start_of_2020 + 3h);
  EXPECT_EQ(next_nominal(), start_of_2020 + 3h);
  clock->advance(24h);
  EXPECT_EQ(next_nominal(), start_of_2020 + 27h);
}

TEST_F(SchedulerClock, gives_the_times_of_the_history) {
  scheduler.must_register({.id = "by-hand"}, [&](const RunContext& run) { runs.put(run); });
  ASSERT_TRUE(scheduler.start());

  const auto run = scheduler.wait(scheduler.trigger("by-hand")->run_id, 30s);

  EXPECT_EQ(next_nominal(), start_of_2020 + 30min);
  EXPECT_EQ(run->ended_at, start_of_2020 + 30min);
  EXPECT_EQ(scheduler.get("by-hand")->created_at, start_of_2020 + 30min);
}

TEST_F(SchedulerClock, starts_the_newest_of_what_it_has_jumped_over) {
  scheduler.must_register({.id = "hourly", .cron = {"0 * * * *"}}, [&](const RunContext& run) { runs.put(run); });
  ASSERT_TRUE(scheduler.start());
  // What is decided at the jump is decided by a scheduler that is at work.
  clock->set(start_of_2020 + 1h);
  EXPECT_EQ(next_nominal(), start_of_2020 + 1h);

  clock->set(start_of_2020 + 10h + 30min);

  EXPECT_EQ(next_nominal(), start_of_2020 + 10h);
}

TEST_F(SchedulerClock, may_be_used_by_one_scheduler_after_the_other) {
  {
    const auto gone = Scheduler::open({.clock = clock}).value();
  }
  clock->advance(1h);

  scheduler.must_register({.id = "once", .at = {start_of_2020 + 2h}}, [&](const RunContext& run) { runs.put(run); });
  ASSERT_TRUE(scheduler.start());
  clock->set(start_of_2020 + 2h);

  EXPECT_EQ(next_nominal(), start_of_2020 + 2h);
}

}  // namespace
}  // namespace carillon::testing
