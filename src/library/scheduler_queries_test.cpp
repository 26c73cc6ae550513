#include "data_folder/data_directory.hpp"
#include "data_folder/sealed_store.hpp"
#include "library/scheduler_log.hpp"
#include "library/scheduler_test.hpp"
#include "runtime/system_clock.hpp"

#include <fmt/format.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST_F(SchedulerTest, all_schedules_are_listed_in_the_order_of_their_creation) {
  constexpr int count = 250;
  ASSERT_TRUE(scheduler.register_handler("work", do_nothing));
  for (int i = 0; i < count; ++i)
    scheduler.must_register({.id = fmt::format("s-{}", count - i), .handler = "work", .every = 1h});

  const auto all = scheduler.list().value();

  ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].id, fmt::format("s-{}", count - i));
}

TEST_F(SchedulerTest, the_history_goes_back_as_far_as_asked_for) {
  constexpr std::size_t count = 230;
  scheduler.must_register({.id = "cleanup"}, do_nothing);
  std::vector<std::string> newest_first;
  for (std::size_t i = 0; i < count; ++i)
    newest_first.insert(newest_first.begin(), scheduler.trigger("cleanup")->run_id);

  const auto ids_of = [&](std::size_t limit) {
    std::vector<std::string> ids;
    const auto runs = scheduler.history("cleanup", limit).value();
    for (const RunRecord& run : runs) ids.push_back(run.run_id);
    return ids;
  };

  EXPECT_EQ(ids_of(1'000), newest_first);
  EXPECT_EQ(ids_of(201), std::vector(newest_first.begin(), newest_first.begin() + 201));
  EXPECT_TRUE(ids_of(0).empty());
  EXPECT_EQ(scheduler.history("unknown").error().code, FailureCode::not_found);
}

TEST_F(SchedulerTest, an_occurrence_that_waits_for_its_turn_is_not_in_the_history) {
  scheduler.must_register({.id = "slow"}, do_nothing);
  ASSERT_EQ(scheduler.trigger("slow", {.overlap = Overlap::skip})->decision, TriggerResult::Decision::started);

  const auto second = scheduler.trigger("slow", {.overlap = Overlap::buffer_one});

  EXPECT_EQ(second->decision, TriggerResult::Decision::waiting);
  EXPECT_NE(second->run_id, "");
  EXPECT_EQ(scheduler.history("slow")->size(), 1U);
  EXPECT_EQ(scheduler.get("slow")->waiting_count, 1);
}

TEST_F(SchedulerTest, a_failure_is_told_while_the_next_run_is_open) {
  Mailbox<int> begun;
  scheduler.must_register({.id = "flaky", .attempt_count_max = 1}, [&](const RunContext& run) {
    if (run.payload == "1") return HandlerResult::failure("no disk");
    begun.put(1);
    return wait_for_stop(run);
  });
  ASSERT_TRUE(scheduler.start());
  ASSERT_TRUE(scheduler.trigger("flaky", {.payload = "1"}));
  EXPECT_EQ(ended_run(scheduler, "flaky").state, RunRecord::State::failed);

  ASSERT_TRUE(scheduler.trigger("flaky", {.payload = "2"}));
  (void)begun.take();

  EXPECT_TRUE(scheduler.get("flaky")->has_failed);
  EXPECT_EQ(scheduler.get("flaky")->open_count, 1);
  EXPECT_EQ(scheduler.cancel("flaky").value(), 1U);
}

TEST_F(SchedulerTest, what_comes_next_is_bounded_whatever_is_asked_for) {
  scheduler.must_register({.id = "often", .every = 1s}, do_nothing);

  EXPECT_EQ(scheduler.upcoming(std::string::npos)->size(), 10'000U);
}

TEST(SchedulerFolder, has_an_audit_log_of_what_the_program_changed) {
  const TemporaryFolder folder;
  {
    auto scheduler = Scheduler::open({.data = folder.path() / "state"}).value();
    scheduler.must_register({.id = "cleanup", .every = 1h}, do_nothing);
    ASSERT_TRUE(scheduler.pause("cleanup"));
  }

  SystemClock clock;
  SchedulerLog log{{}};
  const auto directory = DataDirectory::take(folder.path() / "state").value();
  const auto store = open_sealed_store(directory, clock, log).value();
  std::vector<std::string> operations;
  const auto records = store->read_audit(std::nullopt, std::nullopt, 10).value();
  for (const AuditRecord& record : records) {
    EXPECT_EQ(record.entry.actor, "code");
    operations.push_back(record.entry.operation);
  }

  EXPECT_THAT(operations, ElementsAre("schedule.pause", "schedule.put"));
  EXPECT_EQ(store->find_broken_record().value(), std::nullopt);
}

}  // namespace
}  // namespace carillon::testing
