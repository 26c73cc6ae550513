#include "library/scheduler_test.hpp"

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Unregistered = ManagedSchedules::Unregistered;

/// A program that is started several times with the same data folder.
class SchedulerManaging : public ::testing::Test {
 protected:
  /// Registers these, and starts. What is not registered is ended at once.
  Scheduler run(const std::string& program, Unregistered unregistered, const std::vector<std::string>& ids) {
    auto scheduler = Scheduler::open(options(program, unregistered)).value();
    for (const std::string& id : ids) scheduler.must_register({.id = id, .every = 1h}, do_nothing);
    scheduler.start().value();
    return scheduler;
  }
  SchedulerOptions options(const std::string& program, Unregistered unregistered) {
    return {.data = folder.path() / "state",
            .log =
                [this](const LogLine& line) {
                  if (line.event == "schedule is no longer registered") ended.put(line.fields.front().second);
                },
            .managed = ManagedSchedules{.by = program, .unregistered = unregistered, .grace = 0s}};
  }

  const TemporaryFolder folder;
  Mailbox<std::string> ended;
};

TEST_F(SchedulerManaging, pauses_what_is_no_longer_registered) {
  (void)run("billing", Unregistered::pause, {"kept", "dropped"});

  const auto scheduler = run("billing", Unregistered::pause, {"kept"});

  EXPECT_EQ(ended.take(), "dropped");
  EXPECT_EQ(scheduler.get("dropped")->status, ScheduleInfo::Status::paused);
  EXPECT_EQ(scheduler.get("kept")->status, ScheduleInfo::Status::active);
}

TEST_F(SchedulerManaging, resumes_what_is_registered_again) {
  (void)run("billing", Unregistered::pause, {"dropped"});
  {
    const auto without = run("billing", Unregistered::pause, {});
    (void)ended.take();
  }

  const auto scheduler = run("billing", Unregistered::pause, {"dropped"});

  EXPECT_EQ(scheduler.get("dropped")->status, ScheduleInfo::Status::active);
}

TEST_F(SchedulerManaging, leaves_paused_what_somebody_has_paused) {
  {
    auto scheduler = run("billing", Unregistered::pause, {"paused"});
    ASSERT_TRUE(scheduler.pause("paused", {.reason = "audit"}));
  }

  const auto scheduler = run("billing", Unregistered::pause, {"paused"});

  EXPECT_EQ(scheduler.get("paused")->status, ScheduleInfo::Status::paused);
}

TEST_F(SchedulerManaging, removes_it_if_asked_to) {
  (void)run("billing", Unregistered::pause, {"dropped"});

  const auto scheduler = run("billing", Unregistered::remove, {});

  EXPECT_EQ(ended.take(), "dropped");
  EXPECT_EQ(scheduler.get("dropped").error().code, FailureCode::not_found);
}

TEST_F(SchedulerManaging, touches_nothing_of_other_programs) {
  {
    auto unmanaged = Scheduler::open({.data = folder.path() / "state"}).value();
    unmanaged.must_register({.id = "nobodys", .every = 1h}, do_nothing);
  }
  (void)run("reports", Unregistered::remove, {"theirs"});
  (void)run("billing", Unregistered::remove, {"dropped"});

  const auto scheduler = run("billing", Unregistered::remove, {});

  EXPECT_EQ(ended.take(), "dropped");
  EXPECT_EQ(scheduler.get("nobodys")->status, ScheduleInfo::Status::active);
  EXPECT_EQ(scheduler.get("theirs")->status, ScheduleInfo::Status::active);
  EXPECT_THAT(scheduler.get("theirs")->document, HasSubstr(R"("carillon.managed-by":"code:reports")"));
}

TEST_F(SchedulerManaging, waits_for_the_grace_to_pass) {
  (void)run("billing", Unregistered::remove, {"late"});
  SchedulerOptions patient = options("billing", Unregistered::remove);
  patient.managed->grace = std::chrono::microseconds::max();
  auto scheduler = Scheduler::open(patient).value();
  ASSERT_TRUE(scheduler.start());

  ASSERT_TRUE(scheduler.stop());

  EXPECT_EQ(scheduler.get("late")->status, ScheduleInfo::Status::active);
}

TEST_F(SchedulerManaging, needs_a_name_that_can_be_a_mark) {
  const auto refused = Scheduler::open({.managed = ManagedSchedules{.by = "my program"}});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::invalid_argument);
  EXPECT_THAT(refused.error().message, HasSubstr("my program"));
}

}  // namespace
}  // namespace carillon::testing
