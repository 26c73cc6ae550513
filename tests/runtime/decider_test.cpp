#include "runtime/runtime_fixture.hpp"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <algorithm>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DeciderTest : public RuntimeTest {};

TEST_F(DeciderTest, it_wants_to_be_called_when_something_comes_due_and_at_least_every_second) {
  EXPECT_EQ(decider.tick(), clock.since_boot() + 1s);
  create(a_command());
  clock.advance(5min - 300ms);

  EXPECT_EQ(decider.tick(), clock.since_boot() + 300ms);
}

TEST_F(DeciderTest, a_clock_that_jumps_by_hours_is_not_believed_for_a_minute) {
  create(a_command());
  tick();
  clock.advance_wall(3h);

  tick();
  EXPECT_THAT(ledger(), IsEmpty());
  EXPECT_TRUE(log.has("clock stepped"));
  clock.advance_wall(-3h);
  pass(5s);
  EXPECT_THAT(ledger(), IsEmpty());

  clock.advance_wall(3h);
  tick();
  pass(61s);
  EXPECT_THAT(executor.launches, SizeIs(1)) << "the newest of what was missed";
}

TEST_F(DeciderTest, what_was_skipped_by_a_clock_that_was_ahead_has_its_turn_again) {
  create(a_command().catchup(CatchupPolicy::none));
  tick();
  clock.advance_wall(52min);
  tick();
  ASSERT_EQ(memory.find(key())->view->state.skipped_until, nine + 50min);

  clock.advance_wall(-52min);
  tick();
  EXPECT_TRUE(log.has("decisions of a clock that was ahead taken back"));
  pass(5min);

  ASSERT_THAT(executor.launches, SizeIs(1));
  EXPECT_EQ(executor.launches[0].envelope.nominal, nine + 5min);
}

TEST_F(DeciderTest, a_start_touches_nothing_that_is_in_order) {
  create(a_command().every(30s));
  const auto version = memory.find(key())->view->state.version;

  tick();

  EXPECT_EQ(memory.find(key())->view->state.version, version);
  EXPECT_FALSE(log.has("decisions of a clock that was ahead taken back"));
}

class ManyDueTest : public DeciderTest {
 protected:
  /// More than fit into two batches.
  void make_due() {
    for (int i = 0; i < 7; ++i) create(a_command().id(fmt::format("s{}", i)));
    tick();
    clock.advance(5min);
  }
  std::size_t started_count() { return static_cast<std::size_t>(std::ranges::count(ledger(), "started")); }

  SharedDefinitions unread{store, zones};
  Decider small{store, store, unread, clock, log, &worker, {.batch = 3, .is_clock_synchronised = {}}};
};

TEST_F(ManyDueTest, are_decided_batch_by_batch_and_each_once) {
  make_due();

  EXPECT_EQ(small.tick(), clock.since_boot() + 1s);

  EXPECT_EQ(started_count(), 7U);
  (void)worker.tick();
  EXPECT_THAT(executor.launches, SizeIs(3)) << "as many as the worker has room for";
}

TEST_F(ManyDueTest, are_decided_once_also_if_an_answer_is_lost) {
  make_due();
  store.loses_next_commit = true;

  EXPECT_EQ(small.tick(), clock.since_boot() + 1s);
  EXPECT_TRUE(log.has("due schedules cannot be decided"));
  EXPECT_EQ(started_count(), 3U) << "what was read ahead is not written";
  clock.advance(1s);
  (void)small.tick();

  EXPECT_EQ(started_count(), 7U);
}

TEST_F(ManyDueTest, one_that_cannot_be_decided_is_set_aside_alone) {
  make_due();
  store.unreadable = memory.find(key("s4"))->view->state.uid;

  (void)small.tick();

  EXPECT_EQ(started_count(), 6U);
  EXPECT_TRUE(log.has("schedules set aside"));
}

TEST_F(DeciderTest, a_store_that_cannot_be_reached_is_told_once_and_tried_again) {
  create(a_command());
  tick();
  store.is_gone = true;
  pass(5min);
  EXPECT_TRUE(log.has("due schedules cannot be decided"));
  store.is_gone = false;

  pass(1s);

  EXPECT_THAT(executor.launches, SizeIs(1));
}

}  // namespace
}  // namespace carillon::testing
