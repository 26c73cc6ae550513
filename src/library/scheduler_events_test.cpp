#include "library/scheduler_test.hpp"

#include <atomic>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST_F(SchedulerTest, listeners_hear_of_its_life) {
  std::vector<SchedulerStatus> seen;
  scheduler.listen({.scheduler_status = [&](SchedulerStatus status) { seen.push_back(status); }});

  EXPECT_FALSE(scheduler.is_running());
  ASSERT_TRUE(scheduler.start());
  EXPECT_TRUE(scheduler.is_running());
  ASSERT_TRUE(scheduler.stop());
  EXPECT_FALSE(scheduler.is_running());

  EXPECT_THAT(seen, ElementsAre(SchedulerStatus::starting, SchedulerStatus::running, SchedulerStatus::stopping,
                                SchedulerStatus::stopped));
}

TEST_F(SchedulerTest, stopping_is_harmless_before_the_start_and_twice) {
  EXPECT_TRUE(scheduler.stop());
  EXPECT_TRUE(scheduler.start());
  EXPECT_TRUE(scheduler.stop());
  EXPECT_TRUE(scheduler.stop());

  EXPECT_EQ(scheduler.start().error().code, FailureCode::conflict);
}

TEST_F(SchedulerTest, a_run_that_succeeds_is_told_from_beginning_to_end) {
  Mailbox<ExecutionStart> started;
  scheduler.listen({.execution_start = [&](const ExecutionStart& event) { started.put(event); }});
  scheduler.must_register({.id = "count"}, [](const RunContext&) { return HandlerResult::success("42"); });
  ASSERT_TRUE(scheduler.start());

  const auto triggered = scheduler.trigger("count");

  const ExecutionStart start = started.take();
  EXPECT_EQ(start.schedule_id, "count");
  EXPECT_EQ(start.run_id, triggered->run_id);
  EXPECT_EQ(start.attempt, 1);
  const ExecutionComplete complete = completed.take();
  EXPECT_EQ(complete.run_id, start.run_id);
  EXPECT_EQ(complete.run_name, start.run_name);
  EXPECT_EQ(complete.result, "42");
}

TEST_F(SchedulerTest, a_run_that_fails_tells_whether_it_will_be_tried_again) {
  scheduler.must_register({.id = "flaky", .attempt_count_max = 2, .retry_delay = 1ms},
                          [](const RunContext&) { return HandlerResult::failure("no disk"); });
  ASSERT_TRUE(scheduler.start());

  ASSERT_TRUE(scheduler.trigger("flaky"));

  const ExecutionError first = failed.take();
  EXPECT_EQ(first.error, "no disk");
  EXPECT_EQ(first.kind, ExecutionError::Kind::failed);
  EXPECT_TRUE(first.will_retry);
  EXPECT_EQ(first.retry_attempt, 1);
  const ExecutionError second = failed.take();
  EXPECT_EQ(second.attempt, 2);
  EXPECT_EQ(second.run_name, first.run_name);
  EXPECT_FALSE(second.will_retry);
  EXPECT_EQ(second.retry_attempt, std::nullopt);
}

TEST_F(SchedulerTest, changes_of_schedules_are_told) {
  std::vector<ScheduleChange::Kind> seen;
  scheduler.listen({.schedule_changed = [&](const ScheduleChange& event) { seen.push_back(event.change); }});

  scheduler.must_register({.id = "cleanup"}, do_nothing);
  ASSERT_TRUE(scheduler.remove("cleanup"));

  EXPECT_THAT(seen, ElementsAre(ScheduleChange::Kind::added, ScheduleChange::Kind::removed));
}

TEST_F(SchedulerTest, a_listener_that_throws_keeps_nobody_from_hearing) {
  std::vector<std::string> heard;
  scheduler.listen({.schedule_changed = [](const ScheduleChange&) { throw std::runtime_error{"deaf"}; }});
  scheduler.listen({.schedule_changed = [&](const ScheduleChange& event) { heard.push_back(event.schedule_id); }});

  scheduler.must_register({.id = "cleanup"}, do_nothing);

  EXPECT_THAT(heard, ElementsAre("cleanup"));
}

TEST_F(SchedulerTest, a_listener_that_was_removed_hears_nothing_more) {
  std::vector<std::string> heard;
  const auto remember = [&](const ScheduleChange& event) { heard.push_back(event.schedule_id); };
  const ListenerId first = scheduler.listen({.schedule_changed = remember});
  const ListenerId second = scheduler.listen({.schedule_changed = remember});
  scheduler.must_register({.id = "both"}, do_nothing);

  scheduler.unlisten(first);
  scheduler.must_register({.id = "one"}, do_nothing);
  scheduler.unlisten(second);
  scheduler.unlisten(second);
  scheduler.must_register({.id = "none"}, do_nothing);

  EXPECT_THAT(heard, ElementsAre("both", "both", "one"));
}

TEST_F(SchedulerTest, a_listener_is_removed_when_its_call_under_way_has_ended) {
  Mailbox<int> called;
  Mailbox<int> may_return;
  std::atomic<bool> has_returned = false;
  const ListenerId id = scheduler.listen({.schedule_changed = [&](const ScheduleChange&) {
    called.put(1);
    (void)may_return.take();
    has_returned = true;
  }});
  const std::jthread registering{[&] { scheduler.must_register({.id = "cleanup"}, do_nothing); }};
  (void)called.take();

  const std::jthread helper{[&] { may_return.put(1); }};
  scheduler.unlisten(id);

  EXPECT_TRUE(has_returned);
}

TEST_F(SchedulerTest, a_listener_may_remove_itself) {
  std::vector<std::string> heard;
  ListenerId id{};
  id = scheduler.listen({.schedule_changed = [&](const ScheduleChange& event) {
    heard.push_back(event.schedule_id);
    scheduler.unlisten(id);
  }});

  scheduler.must_register({.id = "first"}, do_nothing);
  scheduler.must_register({.id = "second"}, do_nothing);

  EXPECT_THAT(heard, ElementsAre("first"));
}

TEST_F(SchedulerTest, a_handler_may_call_its_scheduler_but_not_stop_it) {
  Mailbox<Expected<>> stopped;
  scheduler.must_register({.id = "second"}, do_nothing);
  scheduler.must_register({.id = "first"}, [&](const RunContext&) {
    stopped.put(scheduler.stop());
    (void)scheduler.trigger("second");
    return HandlerResult{};
  });
  ASSERT_TRUE(scheduler.start());

  ASSERT_TRUE(scheduler.trigger("first"));

  EXPECT_EQ(stopped.take().error().code, FailureCode::conflict);
  const std::vector<std::string> ended{completed.take().schedule_id, completed.take().schedule_id};
  EXPECT_THAT(ended, UnorderedElementsAre("first", "second"));
}

TEST(SchedulerLogging, goes_to_the_host_with_its_fields) {
  Mailbox<LogLine> started;
  auto scheduler = Scheduler::open({.log = [&](const LogLine& line) {
                     if (line.event == "run started") started.put(line);
                   }}).value();
  scheduler.must_register({.id = "cleanup"}, do_nothing);
  ASSERT_TRUE(scheduler.start());

  ASSERT_TRUE(scheduler.trigger("cleanup"));

  const LogLine line = started.take();
  EXPECT_EQ(line.level, LogLine::Level::info);
  EXPECT_THAT(line.fields, ::testing::Contains(std::pair<std::string, std::string>{"attempt", "1"}));
}

TEST(SchedulerLogging, names_schedules_whose_handler_is_gone) {
  const TemporaryFolder folder;
  const SchedulerOptions first{.data = folder.path() / "state"};
  Scheduler::open(first).value().must_register({.id = "orphan", .handler = "gone"}, do_nothing);
  Mailbox<LogLine> warned;
  SchedulerOptions second = first;
  second.log = [&](const LogLine& line) {
    if (line.event == "schedule has no handler") warned.put(line);
  };
  auto scheduler = Scheduler::open(second).value();

  ASSERT_TRUE(scheduler.start());

  EXPECT_THAT(warned.take().fields, ElementsAre(std::pair<std::string, std::string>{"schedule", "orphan"},
                                                std::pair<std::string, std::string>{"handler", "gone"}));
}

}  // namespace
}  // namespace carillon::testing
