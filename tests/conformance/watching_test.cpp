#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

/// A schedule that sleeps, with one run that a worker has.
class Watching : public StoreTest {
 protected:
  void SetUp() override {
    uid = create("nightly");
    seq = start("nightly");
    row = claim_one(open_session(10h)).row;
  }

  Uid uid{};
  Seq seq{};
  QueuedRun row;
};
CARILLON_RUN_FOR_EVERY_STORE(Watching);

TEST_P(Watching, a_finish_does_not_touch_a_schedule_that_does_not_listen) {
  const ScheduleState before = view("nightly").state;

  finish(row, RunState::succeeded);

  EXPECT_EQ(view("nightly").state, before);
  EXPECT_FALSE(is_due(uid));
}

TEST_P(Watching, a_finish_wakes_a_schedule_that_listens_and_keeps_its_version) {
  write(next("nightly").decides(waiting(noon)).listens().watches(seq));
  ScheduleState expected = view("nightly").state;
  ASSERT_FALSE(is_due(uid));
  advance(1min);

  finish(row, RunState::succeeded);

  EXPECT_TRUE(is_due(uid));
  expected.wake = noon + 1min;
  EXPECT_EQ(view("nightly").state, expected);
}

TEST_P(Watching, a_finish_between_reading_and_deciding_wakes_the_schedule_when_the_decision_is_written) {
  auto decision = next("nightly").decides(waiting(noon)).listens().watches(seq);
  finish(row, RunState::failed);
  ASSERT_FALSE(is_due(uid));
  advance(1min);

  ASSERT_EQ(commit(decision).outcome, WriteOutcome::Outcome::written);

  EXPECT_TRUE(is_due(uid));
  EXPECT_EQ(view("nightly").state.wake, noon + 1min);
}

TEST_P(Watching, the_end_of_one_watched_run_of_several_is_enough) {
  const Seq other = start("nightly");
  auto decision = next("nightly").decides(waiting(noon)).listens().watches(other).watches(seq);
  finish(row, RunState::succeeded);

  write(decision);

  EXPECT_TRUE(is_due(uid));
}

TEST_P(Watching, a_run_that_is_still_open_wakes_nobody) {
  write(next("nightly").decides(waiting(noon)).listens().watches(seq).wakes_at(noon + 1h));

  EXPECT_FALSE(is_due(uid));
  EXPECT_EQ(view("nightly").state.wake, noon + 1h);
}

TEST_P(Watching, a_finish_does_not_put_off_an_earlier_wake) {
  write(next("nightly").listens().watches(seq).wakes_at(noon - 1min));

  finish(row, RunState::succeeded);

  EXPECT_EQ(view("nightly").state.wake, noon - 1min);
}

TEST_P(Watching, a_finish_brings_a_later_wake_forward) {
  write(next("nightly").listens().watches(seq).wakes_at(noon + 1h));
  advance(1min);

  finish(row, RunState::lost);

  EXPECT_EQ(view("nightly").state.wake, noon + 1min);
}

TEST_P(Watching, an_attempt_that_is_tried_again_is_not_the_end_of_a_run) {
  write(next("nightly").decides(waiting(noon)).listens().watches(seq));

  write(update_of(row, retried(row.run, noon + 1min)));
  EXPECT_FALSE(is_due(uid));

  write(next("nightly").listens().watches(seq));
  EXPECT_FALSE(is_due(uid));
}

TEST_P(Watching, a_refused_write_of_a_run_wakes_nobody) {
  write(next("nightly").decides(waiting(noon)).listens().watches(seq));
  RunUpdate late = update_of(row, ended(row.run, RunState::succeeded, noon));
  ++late.attempt;

  EXPECT_EQ(write(late), RunWritten::refused);

  EXPECT_FALSE(is_due(uid));
}

TEST_P(Watching, a_run_that_expires_ends_too) {
  const Seq queued = decide("nightly", starting(noon).expires_at(noon + 1min));
  write(next("nightly").listens().watches(queued));
  advance(2min);

  const QueuedRun waited = run(queued).value();
  ASSERT_EQ(write(update_of(waited, ended(waited.run, RunState::expired, now()))), RunWritten::written);

  EXPECT_TRUE(is_due(uid));
}

TEST_P(Watching, a_watched_run_that_the_same_transition_ends_wakes_at_once) {
  const Seq queued = start("nightly");

  write(next("nightly").orders(RunOrder::Kind::cancel, queued).decides(waiting(noon)).listens().watches(queued));

  EXPECT_TRUE(is_due(uid));
}

TEST_P(Watching, a_schedule_that_no_longer_listens_is_left_alone) {
  write(next("nightly").listens().watches(seq));
  write(next("nightly").listens(false));

  finish(row, RunState::succeeded);

  EXPECT_FALSE(is_due(uid));
}

TEST_P(Watching, a_finish_leaves_decisions_from_the_state_before_it_valid) {
  auto decision = next("nightly").wakes_at(noon + 1h);
  finish(row, RunState::succeeded);

  EXPECT_EQ(commit(decision).outcome, WriteOutcome::Outcome::written);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::succeeded);
}

TEST_P(Watching, a_finish_wakes_no_other_schedule) {
  const Uid other = create("other");
  write(next("other").listens());

  finish(row, RunState::succeeded);

  EXPECT_FALSE(is_due(other));
}

TEST_P(Watching, a_finish_after_the_deletion_ends_the_run_and_wakes_nobody) {
  write(next("nightly").deletes().listens(true));
  const ScheduleState tombstone = view("nightly").state;

  EXPECT_EQ(finish(row, RunState::succeeded), RunWritten::written);

  EXPECT_EQ(run(seq).value().run.state, RunState::succeeded);
  EXPECT_EQ(view("nightly").state, tombstone);
  EXPECT_THAT(due(), IsEmpty());
}

}  // namespace
}  // namespace carillon::conformance
