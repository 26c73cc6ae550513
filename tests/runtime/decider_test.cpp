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

TEST_F(DeciderTest, where_others_changes_are_told_it_looks_less_often_and_is_on_time_all_the_same) {
  Decider patient{store, store, definitions, clock, log, &worker.session(), {.hears_of_changes = [] { return true; }}};
  EXPECT_EQ(patient.tick(), clock.since_boot() + 2500ms);
  create(a_command());
  clock.advance(5min - 300ms);

  EXPECT_EQ(patient.tick(), clock.since_boot() + 300ms);
}

TEST_F(DeciderTest, a_look_that_finds_nothing_is_one_question_once_it_has_begun) {
  tick();
  clock.advance(1s);
  store.read_count = 0;

  (void)decider.tick();

  EXPECT_EQ(store.read_count, 1);
}

TEST_F(DeciderTest, what_was_read_before_the_clock_is_found_to_be_wrong_is_not_written) {
  create(a_command());
  tick();
  // The next look begins by reading what is due by a clock that it does not believe then.
  clock.advance_wall(3h);

  (void)decider.tick();

  EXPECT_TRUE(log.has("clock stepped"));
  EXPECT_THAT(ledger(), IsEmpty());
}

TEST_F(DeciderTest, while_nothing_is_due_it_commits_nothing) {
  create(a_command());
  pass(5min);
  ASSERT_THAT(executor.launches, SizeIs(1));
  const int before = store.commit_count;

  pass(4min);

  EXPECT_EQ(store.commit_count, before);
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
  EXPECT_TRUE(log.has("decisions made while the clock was ahead taken back"));
  pass(5min);

  ASSERT_THAT(executor.launches, SizeIs(1));
  EXPECT_EQ(executor.launches[0].envelope.nominal, nine + 5min);
}

TEST_F(DeciderTest, a_start_touches_nothing_that_is_in_order) {
  create(a_command().every(30s));
  const auto version = memory.find(key())->view->state.version;

  tick();

  EXPECT_EQ(memory.find(key())->view->state.version, version);
  EXPECT_FALSE(log.has("decisions made while the clock was ahead taken back"));
}

class OutageTest : public DeciderTest {
 protected:
  std::vector<OutageLine> outages() {
    std::vector<OutageLine> found;
    const auto records = memory.read_ledger(Seq{}, 10'000).value();
    for (const LedgerRecord& record : records)
      if (const auto* line = std::get_if<OutageLine>(&record)) found.push_back(*line);
    return found;
  }
  /// Another server, after this one.
  void tick_anew() {
    Decider next{store, store, definitions, clock, log, &worker.session(), {}};
    (void)next.tick();
  }
};

TEST_F(OutageTest, the_time_without_a_server_is_one) {
  tick();
  pass(10s);
  clock.advance(1min);

  tick_anew();

  ASSERT_THAT(outages(), SizeIs(1));
  EXPECT_EQ(outages()[0].from, nine + 10s);
  EXPECT_EQ(outages()[0].to, nine + 70s);
  EXPECT_EQ(outages()[0].cause, OutageCause::down);
}

TEST_F(OutageTest, a_server_that_leaves_says_when) {
  tick();
  clock.advance(1s);
  tick();
  clock.advance(900ms);
  decider.leave();
  clock.advance(1min);

  tick_anew();

  ASSERT_THAT(outages(), SizeIs(1));
  EXPECT_EQ(outages()[0].from, nine + 1900ms);
}

TEST_F(OutageTest, a_server_that_was_halted_finds_out_by_itself) {
  tick();
  clock.advance(3min);

  tick();

  ASSERT_THAT(outages(), SizeIs(1));
  EXPECT_EQ(outages()[0].cause, OutageCause::halted);
}

TEST_F(OutageTest, a_clock_that_was_set_forward_is_named_as_the_cause) {
  tick();
  clock.advance_wall(3min);

  tick();

  ASSERT_THAT(outages(), SizeIs(1));
  EXPECT_EQ(outages()[0].cause, OutageCause::clock);
}

TEST_F(OutageTest, a_store_that_cannot_be_written_is_named_as_the_cause) {
  tick();
  pass(10s);
  store.is_read_only = true;
  pass(1h);
  ASSERT_THAT(outages(), IsEmpty());

  store.is_read_only = false;
  pass(1s);

  ASSERT_THAT(outages(), SizeIs(1));
  EXPECT_EQ(outages()[0].from, nine + 10s);
  EXPECT_EQ(outages()[0].to, nine + 1h + 11s);
  EXPECT_EQ(outages()[0].cause, OutageCause::store);
}

TEST_F(OutageTest, a_server_that_looks_every_second_has_none) {
  tick();
  pass(2min);

  EXPECT_THAT(outages(), IsEmpty());
}

TEST_F(OutageTest, is_known_before_anything_is_decided) {
  create(a_command().every(10s));
  tick();
  clock.advance(45s);

  tick_anew();

  EXPECT_EQ(memory.find(key())->view->state.counts.skipped[static_cast<std::size_t>(SkipReason::outage)], 3);
}

TEST_F(DeciderTest, users_change_nothing_by_a_clock_that_is_not_believed) {
  create(a_command());
  tick();
  ScheduleCommands checked{store, store, definitions, [] {}, [this](Instant now) { return decider.check_clock(now); }};
  const auto pause = [&] { return checked.change(key(), Paused{.by = "anna"}); };
  clock.advance_wall(3h);

  const auto at_once = pause();
  tick();
  const auto later = pause();

  ASSERT_FALSE(at_once);
  EXPECT_EQ(at_once.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(later);
  EXPECT_THAT(ledger(), IsEmpty()) << "what is due by that clock is not decided either";
  pass(61s);
  EXPECT_TRUE(pause());
}

TEST_F(DeciderTest, a_clock_from_before_the_program_was_made_decides_nothing) {
  create(a_command());
  Decider strict{store,
                 store,
                 definitions,
                 clock,
                 log,
                 &worker.session(),
                 {.is_clock_synchronised = {}, .clock_earliest = nine + 1h}};

  (void)strict.tick();
  clock.advance(30min);
  (void)strict.tick();

  EXPECT_THAT(ledger(), IsEmpty());
  EXPECT_TRUE(log.has("clock stepped"));
  EXPECT_FALSE(strict.check_clock(clock.now()));
  clock.advance(30min);
  (void)strict.tick();
  EXPECT_EQ(memory.find(key())->view->state.cursor, nine + 1h) << "the clock is set, and what is due is decided";
}

TEST_F(DeciderTest, a_start_with_a_clock_far_behind_waits_a_minute_for_it_to_come_right) {
  create(a_command());
  tick();
  clock.advance_wall(-26h);
  Decider next{store, store, definitions, clock, log, &worker.session(), {}};

  (void)next.tick();
  clock.advance(10s);
  EXPECT_FALSE(next.check_clock(clock.now()));
  clock.advance_wall(26h);
  (void)next.tick();

  EXPECT_TRUE(next.check_clock(clock.now()));
  EXPECT_EQ(memory.find(key())->view->state.cursor, nine) << "nothing was opened or decided meanwhile";
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
  Decider small{store, store, unread, clock, log, &worker.session(), {.batch = 3, .is_clock_synchronised = {}}};
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
  EXPECT_TRUE(log.has("schedules set aside for a minute after an error"));
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
