#include "library/scheduler_test.hpp"

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

TEST_F(SchedulerTest, what_a_handler_logs_is_in_the_log_of_its_run) {
  scheduler.must_register({.id = "cleanup"}, [](const RunContext& run) {
    run.log("42 rows");
    run.log("two\nlines");
  });
  scheduler.must_register({.id = "silent"}, do_nothing);
  ASSERT_TRUE(scheduler.start());
  const std::string id = scheduler.trigger("cleanup")->run_id;
  const std::string silent = scheduler.trigger("silent")->run_id;
  ASSERT_TRUE(scheduler.wait(id, 30s)->has_ended());
  ASSERT_TRUE(scheduler.wait(silent, 30s)->has_ended());

  EXPECT_EQ(scheduler.run_log(id).value(), "42 rows\ntwo\nlines\n");
  EXPECT_EQ(scheduler.run_log(silent).value(), "");
  EXPECT_EQ(scheduler.run_log("r-0000000000000").error().code, FailureCode::not_found);
}

TEST_F(SchedulerTest, every_attempt_has_a_log_of_its_own) {
  scheduler.must_register({.id = "flaky", .attempt_count_max = 2, .retry_delay = 1ms}, [](const RunContext& run) {
    run.log("attempt " + std::to_string(run.attempt));
    return HandlerResult::failure("no disk");
  });
  ASSERT_TRUE(scheduler.start());
  const std::string id = scheduler.trigger("flaky")->run_id;
  ASSERT_TRUE(scheduler.wait(id, 30s)->has_ended());

  EXPECT_EQ(scheduler.run_log(id, 1).value(), "attempt 1\n");
  EXPECT_EQ(scheduler.run_log(id).value(), "attempt 2\n");
}

TEST_F(SchedulerTest, what_is_logged_after_the_handler_has_returned_is_dropped) {
  Mailbox<RunContext> contexts;
  scheduler.must_register({.id = "cleanup"}, [&](const RunContext& run) {
    run.log("during");
    contexts.put(run);
  });
  ASSERT_TRUE(scheduler.start());
  const std::string id = scheduler.trigger("cleanup")->run_id;
  ASSERT_TRUE(scheduler.wait(id, 30s)->has_ended());

  contexts.take().log("after");

  EXPECT_EQ(scheduler.run_log(id).value(), "during\n");
}

TEST(SchedulerFolder, keeps_the_logs_of_handlers) {
  const TemporaryFolder folder;
  const SchedulerOptions options{.data = folder.path() / "state"};
  std::string id;
  {
    auto scheduler = Scheduler::open(options).value();
    scheduler.must_register({.id = "cleanup"}, [](const RunContext& run) { run.log("42 rows"); });
    ASSERT_TRUE(scheduler.start());
    id = scheduler.trigger("cleanup")->run_id;
    ASSERT_TRUE(scheduler.wait(id, 30s)->has_ended());
  }

  EXPECT_EQ(Scheduler::open(options).value().run_log(id).value(), "42 rows\n");
}

}  // namespace
}  // namespace carillon::testing
