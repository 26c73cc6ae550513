#include "runtime/runtime_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

class LostRunRescuerTest : public RuntimeTest {
 protected:
  /// A run that a worker had when it died.
  void lose_one(const ScheduleBuilder& builder) {
    create(builder);
    clock.advance(5min);
    (void)decider.tick();
    const SessionId dead = memory.open_session("dead", 5s).value();
    ASSERT_EQ(memory.claim({.session = dead, .queues = {"@command"}, .count_max = 1}).value().runs.size(), 1U);
    clock.advance(6s);
  }
};

TEST_F(LostRunRescuerTest, ends_what_a_dead_worker_had) {
  lose_one(a_command());

  EXPECT_EQ(rescuer.tick(), clock.since_boot() + 5s);

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 lost"));
  EXPECT_TRUE(log.has("runs lost"));
}

TEST_F(LostRunRescuerTest, wakes_a_schedule_that_waits_for_what_was_lost) {
  lose_one(a_command().overlap(OverlapPolicy::buffer_one));
  clock.advance(5min);
  (void)decider.tick();
  const int before = wake_count;

  (void)rescuer.tick();

  EXPECT_EQ(wake_count, before + 1);
}

TEST_F(LostRunRescuerTest, looks_every_five_seconds_however_often_it_is_called) {
  (void)decider.tick();
  (void)rescuer.tick();
  lose_one(a_command());
  const Duration next = rescuer.tick();
  ASSERT_THAT(ledger(), Contains("attempt 1 lost"));
  clock.advance(1s);

  EXPECT_EQ(rescuer.tick(), next);
}

TEST_F(LostRunRescuerTest, asks_for_the_time_only_when_something_may_have_expired) {
  (void)decider.tick();
  store.read_count = 0;

  (void)rescuer.tick();

  EXPECT_EQ(store.read_count, 0);
}

TEST_F(LostRunRescuerTest, ends_nothing_before_the_clock_has_been_believed_once) {
  lose_one(a_command());
  Decider next{store, store, definitions, clock, log, nullptr, {}};
  LostRunRescuer other{store, store, definitions, next.clock_watch(), clock, log};

  EXPECT_LE(other.tick(), clock.since_boot() + 100ms) << "soon after the clock is believed it is to begin";
  EXPECT_THAT(ledger(), Not(Contains("attempt 1 lost")));
  (void)next.tick();
  (void)other.tick();

  EXPECT_THAT(ledger(), Contains("attempt 1 lost"));
}

TEST_F(LostRunRescuerTest, ends_what_has_waited_too_long_for_a_worker) {
  create(a_command().with([](Policies& p) { p.start_deadline = 10s; }));
  clock.advance(5min);
  (void)decider.tick();
  clock.advance(11s);

  (void)rescuer.tick();

  EXPECT_TRUE(log.has("runs expired"));
}

TEST_F(LostRunRescuerTest, a_store_that_does_not_answer_is_told_and_asked_again) {
  lose_one(a_command());
  store.is_gone = true;
  (void)rescuer.tick();
  EXPECT_TRUE(log.has("lost runs cannot be ended"));
  store.is_gone = false;
  clock.advance(5s);

  (void)rescuer.tick();

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 lost"));
}

}  // namespace
}  // namespace carillon::testing
