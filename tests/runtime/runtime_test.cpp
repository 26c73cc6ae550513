#include "runtime/runtime.hpp"

#include "runtime/runtime_fixture.hpp"
#include "runtime/system_clock.hpp"

#include <condition_variable>
#include <mutex>
#include <new>
#include <semaphore>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

/// Ends each attempt at once, unless told to let them run.
class PromptExecutor final : public Executor {
 public:
  explicit PromptExecutor(AttemptEvents& events) : events_{events} {}

  void launch(Assignment assignment) override {
    {
      const std::scoped_lock lock{mutex_};
      keys_.push_back(assignment.key);
    }
    if (has_no_memory) throw std::bad_alloc{};
    events_.launched(assignment.key);
    if (ends_at_once) events_.ended(assignment.key, {});
    condition_.notify_all();
  }
  void stop(const AttemptKey& key, Stop) override { events_.ended(key, {.outcome = AttemptOutcome::cancelled}); }
  void extend_until(Duration) override {}

  [[nodiscard]] bool wait_for(std::size_t count) {
    std::unique_lock lock{mutex_};
    return condition_.wait_for(lock, 20s, [&] { return keys_.size() >= count; });
  }

  bool ends_at_once = true;
  bool has_no_memory = false;

 private:
  AttemptEvents& events_;
  std::mutex mutex_;
  std::condition_variable condition_;
  std::vector<AttemptKey> keys_;
};

/// Has no memory for a look at the zone rules, so many times.
class StarvedZoneSource final : public ZoneSource {
 public:
  [[nodiscard]] Result<ZonePtr> zone(std::string_view name) override { return zones_.zone(name); }
  [[nodiscard]] std::shared_ptr<const ZoneNames> names() override { return zones_.names(); }
  [[nodiscard]] bool refresh() override {
    if (failures == 0) return false;
    --failures;
    starved.release();
    throw std::bad_alloc{};
  }

  int failures = 0;
  std::counting_semaphore<> starved{0};  // released with each failure

 private:
  FixedZoneSource zones_;
};

class RuntimeThreads : public ::testing::Test {
 protected:
  ScheduleDocument a_trigger_only_command() { return a_schedule().by_hand().action(bin_true()).document(); }
  Result<CommandResult> trigger(const std::string& id) {
    return runtime.commands().change({NamespaceId::parse("default").value(), ScheduleId::parse("tower").value()},
                                     Triggered{.by = "anna", .id = id});
  }
  std::vector<AttemptState> attempts() {
    std::vector<AttemptState> states;
    const auto records = store.read_ledger(Seq{}, 1'000).value();
    for (const LedgerRecord& record : records)
      if (const auto* line = std::get_if<AttemptLine>(&record)) states.push_back(line->state);
    return states;
  }

  SystemClock clock;
  MemoryStore store{clock};
  StarvedZoneSource zones;
  ListedLog log;
  std::mutex failure_mutex;
  std::condition_variable failure;
  int failure_count = 0;
  RunningAttempts attempts_of_worker{clock, log};
  PromptExecutor executor{attempts_of_worker};
  Runtime runtime{{.store = store.ports(),
                   .zones = zones,
                   .clock = clock,
                   .log = log,
                   .attempts = attempts_of_worker,
                   .executors = {{ActionKind::command, executor}}},
                  {.worker = {.session = {.name = "w1", .queues = {"@command"}}},
                   .decider = {},
                   .stop_timeout = 10s,
                   .on_failure = [this] {
                     const std::scoped_lock lock{failure_mutex};
                     ++failure_count;
                     failure.notify_all();
                   }}};
};

TEST_F(RuntimeThreads, what_users_start_is_performed_and_recorded) {
  runtime.start();
  ASSERT_TRUE(runtime.commands().create(a_trigger_only_command(), "anna"));

  for (int i = 0; i < 50; ++i) ASSERT_TRUE(trigger(fmt::format("t{}", i)));
  ASSERT_TRUE(executor.wait_for(50));
  runtime.stop();

  EXPECT_EQ(attempts(), std::vector<AttemptState>(50, AttemptState::succeeded));
}

TEST_F(RuntimeThreads, stopping_waits_for_what_runs_unless_hurried) {
  executor.ends_at_once = false;
  runtime.start();
  ASSERT_TRUE(runtime.commands().create(a_trigger_only_command(), "anna"));
  ASSERT_TRUE(trigger("t1"));
  ASSERT_TRUE(executor.wait_for(1));

  runtime.hurry();
  runtime.stop();

  EXPECT_EQ(attempts(), std::vector{AttemptState::cancelled});
}

TEST_F(RuntimeThreads, a_worker_that_has_no_memory_gives_up_and_says_so) {
  executor.has_no_memory = true;
  runtime.start();
  ASSERT_TRUE(runtime.commands().create(a_trigger_only_command(), "anna"));

  ASSERT_TRUE(trigger("t1"));

  std::unique_lock lock{failure_mutex};
  EXPECT_TRUE(failure.wait_for(lock, 20s, [&] { return failure_count == 1; }));
  lock.unlock();
  runtime.hurry();
  runtime.stop();
}

TEST_F(RuntimeThreads, a_decider_that_has_no_memory_once_goes_on) {
  zones.failures = 1;
  runtime.start();
  ASSERT_TRUE(zones.starved.try_acquire_for(20s));
  ASSERT_TRUE(runtime.commands().create(a_trigger_only_command(), "anna"));

  ASSERT_TRUE(trigger("t1"));

  EXPECT_TRUE(executor.wait_for(1));
  runtime.stop();
  EXPECT_EQ(zones.failures, 0);
  EXPECT_EQ(failure_count, 0);
}

TEST(RuntimeCommands, change_nothing_by_a_clock_that_cannot_be_right) {
  SystemClock clock;
  MemoryStore store{clock};
  StarvedZoneSource zones;
  ListedLog log;
  RunningAttempts attempts{clock, log};
  Runtime runtime{
      {.store = store.ports(), .zones = zones, .clock = clock, .log = log, .attempts = attempts, .executors = {}},
      {.worker = {.session = {.name = "w1", .queues = {"@command"}}},
       .decider = {.is_clock_synchronised = {}, .clock_earliest = clock.now() + 1h},
       .stop_timeout = 10s,
       .on_failure = {}}};

  const auto created = runtime.commands().create(a_schedule().by_hand().action(bin_true()).document(), "anna");

  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, ErrorCode::unavailable);
}

TEST_F(RuntimeThreads, stopping_is_safe_twice_and_before_starting) {
  runtime.stop();
  runtime.start();
  runtime.stop();
  runtime.stop();
}

}  // namespace
}  // namespace carillon::testing
