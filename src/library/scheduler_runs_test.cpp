#include "library/scheduler_test.hpp"

#include <memory>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using Decision = OccurrenceRecord::Decision;
using State = RunRecord::State;

TEST_F(SchedulerTest, a_run_is_found_by_its_id_and_by_its_name) {
  scheduler.must_register({.id = "cleanup"}, do_nothing);
  const std::string id = scheduler.trigger("cleanup")->run_id;

  const RunRecord run = scheduler.run(id).value();

  EXPECT_EQ(run.run_id, id);
  EXPECT_EQ(run.schedule_id, "cleanup");
  EXPECT_EQ(run.state, State::queued);
  EXPECT_FALSE(run.has_ended());
  EXPECT_EQ(scheduler.run(run.run_name)->run_id, id);
  EXPECT_EQ(scheduler.run("r-0000000000000").error().code, FailureCode::not_found);
}

TEST_F(SchedulerTest, waiting_for_a_run_gives_it_when_it_has_ended) {
  Mailbox<int> may_end;
  scheduler.must_register({.id = "slow"}, [&](const RunContext&) {
    (void)may_end.take();
    return HandlerResult::success("42");
  });
  ASSERT_TRUE(scheduler.start());
  const std::string id = scheduler.trigger("slow")->run_id;
  EXPECT_FALSE(scheduler.wait(id, 0s)->has_ended());

  may_end.put(1);
  const RunRecord run = scheduler.wait(id, 30s).value();

  EXPECT_EQ(run.state, State::succeeded);
  EXPECT_EQ(run.result, "42");
}

TEST_F(SchedulerTest, waiting_has_an_end_when_the_scheduler_stops) {
  scheduler.must_register({.id = "cleanup"}, do_nothing);
  ASSERT_TRUE(scheduler.start());
  ASSERT_TRUE(scheduler.stop());
  const std::string id = scheduler.trigger("cleanup")->run_id;

  EXPECT_EQ(scheduler.wait(id, std::chrono::microseconds::max())->state, State::queued);
}

TEST_F(SchedulerTest, waiting_for_a_run_that_nobody_knows_fails) {
  EXPECT_EQ(scheduler.wait("r-0000000000000", 30s).error().code, FailureCode::not_found);
}

class SchedulerOccurrences : public ::testing::Test {
 protected:
  const TimePoint midnight = sys_days{std::chrono::year{2020} / 1 / 1};
  std::shared_ptr<ManualWallClock> clock = std::make_shared<ManualWallClock>(midnight + 30min);
  Mailbox<int> begun;
  Mailbox<int> may_end;
  Scheduler scheduler = Scheduler::open({.clock = clock}).value();

  /// A run of each hour begins when its time has come, and lasts until it is told to end.
  void register_hourly() {
    scheduler.must_register({.id = "hourly", .cron = {"0 * * * *"}}, [this] {
      begun.put(1);
      (void)may_end.take();
    });
    scheduler.start().value();
  }
  /// Returns when everything up to this time is decided.
  void pass(TimePoint time) {
    clock->set(time);
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (std::chrono::steady_clock::now() < end) {
      const auto all = scheduler.occurrences("hourly", time, time + 1s).value();
      if (!all.empty() && all.front().decision != Decision::planned) return;
      std::this_thread::yield();
    }
    throw std::runtime_error{"it was not decided"};
  }
};

TEST_F(SchedulerOccurrences, tell_what_was_started_skipped_and_planned) {
  register_hourly();
  pass(midnight + 1h);
  (void)begun.take();
  pass(midnight + 2h);

  const auto all = scheduler.occurrences("hourly", midnight, midnight + 4h).value();

  ASSERT_THAT(all, ElementsAre(Field(&OccurrenceRecord::decision, Decision::started),
                               Field(&OccurrenceRecord::decision, Decision::skipped),
                               Field(&OccurrenceRecord::decision, Decision::planned)));
  EXPECT_EQ(all[0].nominal, midnight + 1h);
  EXPECT_EQ(all[0].run->state, State::running);
  EXPECT_EQ(all[1].nominal, midnight + 2h);
  EXPECT_EQ(all[1].reason, "overlap");
  EXPECT_EQ(all[1].run, std::nullopt);
  EXPECT_EQ(all[2].nominal, midnight + 3h);
  EXPECT_EQ(scheduler.occurrences("hourly", midnight, midnight + 4h, 1)->size(), 1U);
  EXPECT_EQ(scheduler.occurrences("unknown", midnight, midnight).error().code, FailureCode::not_found);
  may_end.put(1);
}

TEST_F(SchedulerOccurrences, are_explained) {
  register_hourly();
  pass(midnight + 1h);
  (void)begun.take();
  pass(midnight + 2h);

  const Explanation skipped = scheduler.why("hourly", midnight + 2h).value();
  EXPECT_EQ(skipped.occurrence->decision, Decision::skipped);
  EXPECT_THAT(skipped.sentence, HasSubstr("overlap"));

  const Explanation planned = scheduler.why("hourly", midnight + 3h).value();
  EXPECT_EQ(planned.occurrence->decision, Decision::planned);

  const Explanation none = scheduler.why("hourly", midnight + 90min).value();
  EXPECT_EQ(none.occurrence, std::nullopt);
  EXPECT_EQ(none.occurrence_before, midnight + 1h);
  EXPECT_EQ(none.occurrence_after, midnight + 2h);
  EXPECT_THAT(none.sentence, HasSubstr("no scheduled time at 2020-01-01T01:30:00Z"));
  may_end.put(1);
}

}  // namespace
}  // namespace carillon::testing
