#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

CARILLON_CONFORMANCE_SUITE(Committing);

using Outcome = WriteOutcome::Outcome;

TEST_P(Committing, a_state_is_read_as_it_was_written) {
  const Uid uid = create("nightly");
  auto transition = next("nightly");
  ScheduleState& state = transition.next();
  state.status = ScheduleStatus::paused;
  state.created_at = noon - 90s;
  state.paused_at = noon - 1s;
  state.paused_until = noon + 1h;
  state.cursor = noon + 1us;
  state.started_until = noon - 2s;
  state.skipped_until = noon - 3s;
  state.cursor_offset = -18'000;
  state.zone_edition = ZoneEdition{64'834};
  state.wake = noon + 2h;
  state.listens = true;
  state.has_failed = true;
  state.backfill_count = 3;
  state.counts = {.runs = 9, .successes = 4, .errors = 3, .repeats = 2, .consecutive_failures = 1, .starts = 6};
  for (std::size_t i = 0; i < skip_reason_count; ++i) state.counts.skipped[i] = static_cast<std::int64_t>(100 + i);
  state.last_success = Seq{12};
  state.last_failure = Seq{13};
  state.starts_since = Seq{7};
  state.has_note = true;

  write(transition);

  ScheduleState expected = transition.next();
  expected.uid = uid;
  expected.writer = view("nightly").state.writer;
  EXPECT_EQ(view("nightly").state, expected);
}

TEST_P(Committing, the_writer_of_the_batch_is_noted_in_the_state) {
  const Transition transition = creation("nightly", noon).transition();

  must(schedules().commit({.writer = {.server = 41, .batch = 6}, .transitions = std::span{&transition, 1}}));

  EXPECT_EQ(view("nightly").state.writer, (Writer{.server = 41, .batch = 6}));
}

TEST_P(Committing, a_transition_from_an_older_version_is_refused_and_leaves_no_trace) {
  create("nightly");
  const ScheduleState read = view("nightly").state;
  write(after(read, now()).wakes_at(noon + 1h));
  const ScheduleState written = view("nightly").state;
  const std::size_t ledger_size = ledger().size();

  const WriteOutcome second = commit(after(read, now()).decides(starting(noon)).wakes_at(noon).request(5));

  EXPECT_EQ(second.outcome, Outcome::refused);
  EXPECT_THAT(second.decisions, IsEmpty());
  EXPECT_EQ(view("nightly").state, written);
  EXPECT_THAT(view("nightly").live, IsEmpty());
  EXPECT_THAT(ledger(), SizeIs(ledger_size));
  EXPECT_THAT(claim(open_session()), IsEmpty());
}

TEST_P(Committing, a_transition_from_a_version_that_is_yet_to_come_is_refused) {
  create("nightly");
  ScheduleState ahead = view("nightly").state;
  ++ahead.version;

  EXPECT_EQ(commit(after(ahead, now())).outcome, Outcome::refused);
  EXPECT_EQ(view("nightly").state.version, 1);
}

TEST_P(Committing, a_transition_of_an_unknown_schedule_is_refused) {
  create("nightly");
  ScheduleState stranger = view("nightly").state;
  stranger.uid = Uid{static_cast<std::int64_t>(stranger.uid) + 1000};

  EXPECT_EQ(commit(after(stranger, now())).outcome, Outcome::refused);
}

TEST_P(Committing, a_refused_transition_does_not_touch_the_others_of_its_batch) {
  create("a");
  create("b");
  create("c");
  ScheduleState other = view("b").state;
  other.version += 4;
  const std::vector<Transition> batch{next("a").decides(starting(noon)).transition(),
                                      after(other, now()).decides(starting(noon)).transition(),
                                      next("c").decides(starting(noon)).transition()};

  const CommitResult committed = commit(batch);

  ASSERT_THAT(committed.items, SizeIs(3));
  EXPECT_EQ(committed.items[0].outcome, Outcome::written);
  EXPECT_EQ(committed.items[1].outcome, Outcome::refused);
  EXPECT_EQ(committed.items[2].outcome, Outcome::written);
  EXPECT_EQ(view("a").state.version, 2);
  EXPECT_EQ(view("b").state.version, 1);
  EXPECT_EQ(view("c").state.version, 2);
  EXPECT_THAT(view("b").live, IsEmpty());
}

TEST_P(Committing, of_two_transitions_from_one_version_in_a_batch_the_first_is_written) {
  create("nightly");
  const std::vector<Transition> batch{next("nightly").wakes_at(noon + 1h).transition(),
                                      next("nightly").wakes_at(noon + 2h).transition()};

  const CommitResult committed = commit(batch);

  ASSERT_THAT(committed.items, SizeIs(2));
  EXPECT_EQ(committed.items[0].outcome, Outcome::written);
  EXPECT_EQ(committed.items[1].outcome, Outcome::refused);
  EXPECT_EQ(view("nightly").state.wake, noon + 1h);
}

TEST_P(Committing, decisions_are_answered_with_their_rows_in_order) {
  create("nightly");

  const WriteOutcome written = write(next("nightly")
                                         .decides(starting(noon - 2min))
                                         .decides(skipping(noon - 1min, SkipReason::overlap))
                                         .decides(waiting(noon)));

  ASSERT_THAT(written.decisions, SizeIs(3));
  EXPECT_LT(written.decisions[0], written.decisions[1]);
  EXPECT_LT(written.decisions[1], written.decisions[2]);
  EXPECT_EQ(decision_line(written.decisions[0]).nominal, noon - 2min);
  EXPECT_EQ(decision_line(written.decisions[1]).nominal, noon - 1min);
  EXPECT_EQ(decision_line(written.decisions[2]).nominal, noon);
}

TEST_P(Committing, answers_with_the_time_of_the_store) {
  set_time(noon + 17s);

  EXPECT_EQ(commit(std::span<const Transition>{}).store_now, noon + 17s);
  EXPECT_EQ(must(runs().store_now()), noon + 17s);
  EXPECT_EQ(read_due(1).store_now, noon + 17s);
  EXPECT_EQ(must(schedules().find(key_of("nightly"))).store_now, noon + 17s);
  EXPECT_EQ(must(schedules().read_page(Uid{}, 1)).store_now, noon + 17s);
}

TEST_P(Committing, a_thousand_transitions_are_written_in_one_batch) {
  std::vector<Transition> batch;
  for (int i = 0; i < 1000; ++i) batch.push_back(creation("s" + std::to_string(i), noon).transition());

  const CommitResult committed = commit(batch);

  ASSERT_THAT(committed.items, SizeIs(1000));
  for (const WriteOutcome& item : committed.items) EXPECT_EQ(item.outcome, Outcome::written);
  EXPECT_THAT(must(schedules().read_page(Uid{}, 2000)).views, SizeIs(1000));
}

}  // namespace
}  // namespace carillon::conformance
