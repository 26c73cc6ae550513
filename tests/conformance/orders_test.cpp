#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

using Kind = RunOrder::Kind;

CARILLON_CONFORMANCE_SUITE(Orders);

TEST_P(Orders, to_cancel_end_a_queued_run_at_once) {
  create("nightly");
  const Seq seq = start("nightly");
  advance(5s);

  write(next("nightly").orders(Kind::cancel, seq));

  EXPECT_EQ(run(seq).value().run.state, RunState::cancelled);
  EXPECT_EQ(run(seq).value().run.ended_at, noon + 5s);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::cancelled);
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::started);
  EXPECT_EQ(decision_line(seq).ended_at, noon + 5s);
  EXPECT_THAT(claim(open_session()), IsEmpty());
}

TEST_P(Orders, to_cancel_end_a_run_in_back_off_at_once) {
  create("nightly");
  const Seq seq = start("nightly");
  const SessionId session = open_session();
  const QueuedRun row = claim_one(session).row;
  ASSERT_EQ(write(update_of(row, retried(row.run, noon + 1s))), RunWritten::written);

  write(next("nightly").orders(Kind::cancel, seq));

  EXPECT_EQ(run(seq).value().run.state, RunState::cancelled);
  advance(10s);
  EXPECT_THAT(claim(session), IsEmpty());
}

TEST_P(Orders, to_cancel_a_claimed_run_only_ask_its_worker) {
  create("nightly");
  const Seq seq = start("nightly");
  const SessionId session = open_session();
  claim_one(session);

  write(next("nightly").orders(Kind::cancel, seq));

  EXPECT_EQ(run(seq).value().run.state, RunState::running);
  EXPECT_EQ(run(seq).value().run.stop, Stop::cancel);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::running);
  EXPECT_TRUE(live("nightly", seq).value().is_stopping);
  const auto stops = must(runs().heartbeat({.session = session, .launched = {}})).stops;
  ASSERT_THAT(stops, SizeIs(1));
  EXPECT_EQ(stops[0].seq, seq);
  EXPECT_EQ(stops[0].attempt, 1);
  EXPECT_EQ(stops[0].how, Stop::cancel);
}

TEST_P(Orders, to_terminate_outbid_those_to_cancel_and_not_the_other_way_round) {
  create("nightly");
  const Seq seq = start("nightly");
  claim_one(open_session());

  write(next("nightly").orders(Kind::cancel, seq));
  write(next("nightly").orders(Kind::terminate, seq));
  EXPECT_EQ(run(seq).value().run.stop, Stop::terminate);
  write(next("nightly").orders(Kind::cancel, seq));
  EXPECT_EQ(run(seq).value().run.stop, Stop::terminate);
}

TEST_P(Orders, to_cancel_count_a_waiting_decision_as_started_and_end_it) {
  create("nightly");
  const Seq seq = decide("nightly", waiting(noon));

  write(next("nightly").orders(Kind::cancel, seq));

  EXPECT_EQ(live("nightly", seq).value().state, RunState::cancelled);
  EXPECT_EQ(run(seq).value().run.state, RunState::cancelled);
  EXPECT_EQ(run(seq).value().run.attempt, 0);
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::started);
  EXPECT_THAT(lines<AttemptLine>(), IsEmpty());
  EXPECT_THAT(claim(open_session()), IsEmpty());
}

TEST_P(Orders, to_cancel_a_waiting_decision_end_it_when_they_were_given_however_late_they_are_written) {
  create("nightly");
  const Seq seq = decide("nightly", waiting(noon));
  advance(5s);
  const auto cancelling = next("nightly").orders(Kind::cancel, seq);
  advance(2s);

  write(cancelling);

  EXPECT_EQ(decision_line(seq).head.at, noon + 5s);
  EXPECT_EQ(decision_line(seq).ended_at, noon + 5s);
  EXPECT_EQ(run(seq).value().run.ended_at, noon + 5s);
}

TEST_P(Orders, to_cancel_an_ended_run_change_nothing) {
  create("nightly");
  const Seq seq = start("nightly");
  finish(claim_one(open_session()).row, RunState::succeeded);
  const Run before = run(seq).value().run;
  advance(1min);

  write(next("nightly").orders(Kind::cancel, seq).orders(Kind::end_retries, seq).orders(Kind::withdraw, seq));

  EXPECT_EQ(run(seq).value().run, before);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::succeeded);
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::started);
}

TEST_P(Orders, to_withdraw_turn_an_unclaimed_run_into_a_skip) {
  create("nightly");
  const Seq seq = start("nightly");

  write(next("nightly").orders(Kind::withdraw, seq, SkipReason::deleted));

  EXPECT_EQ(live("nightly", seq).value().withdrawn, SkipReason::deleted);
  EXPECT_FALSE(is_open(live("nightly", seq).value()));
  EXPECT_EQ(run(seq).has_value(), false);
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::skipped);
  EXPECT_EQ(decision_line(seq).reason, SkipReason::deleted);
  EXPECT_THAT(claim(open_session()), IsEmpty());
  write(next("nightly").counts(seq));
  EXPECT_EQ(live("nightly", seq), std::nullopt);
}

TEST_P(Orders, to_withdraw_or_hold_back_come_too_late_for_a_claimed_run) {
  create("nightly");
  const Seq seq = start("nightly");
  claim_one(open_session());
  const Run before = run(seq).value().run;

  write(next("nightly").orders(Kind::withdraw, seq));
  write(next("nightly").orders(Kind::hold_back, seq));

  EXPECT_EQ(run(seq).value().run, before);
  EXPECT_EQ(live("nightly", seq).value().withdrawn, std::nullopt);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::running);
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::started);
}

TEST_P(Orders, to_withdraw_or_hold_back_come_too_late_for_a_run_in_back_off) {
  create("nightly");
  const Seq seq = start("nightly");
  const QueuedRun row = claim_one(open_session()).row;
  write(update_of(row, retried(row.run, noon + 1s)));

  write(next("nightly").orders(Kind::withdraw, seq));
  write(next("nightly").orders(Kind::hold_back, seq));

  EXPECT_EQ(run(seq).value().run.state, RunState::retrying);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::retrying);
  EXPECT_EQ(live("nightly", seq).value().withdrawn, std::nullopt);
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::started);
}

TEST_P(Orders, to_hold_back_make_an_unclaimed_run_wait_again) {
  create("nightly");
  const Seq seq = start("nightly");
  advance(1min);

  write(next("nightly").orders(Kind::hold_back, seq));

  EXPECT_EQ(live("nightly", seq).value().state, RunState::waiting);
  EXPECT_TRUE(is_waiting(live("nightly", seq).value()));
  EXPECT_TRUE(live("nightly", seq).value().is_held_back);
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::waiting);
  EXPECT_THAT(claim(open_session()), IsEmpty());
  EXPECT_THAT(expired(), IsEmpty());
}

TEST_P(Orders, what_was_held_back_can_be_released_again) {
  create("nightly");
  const Seq seq = start("nightly");
  write(next("nightly").orders(Kind::hold_back, seq));
  advance(1h);

  write(next("nightly").resolves(seq, a_start(now())));

  EXPECT_EQ(run(seq).value().run, (Run{.queued_at = noon + 1h, .claimable_from = noon + 1h}));
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::started);
  EXPECT_TRUE(decision_line(seq).waited_from.has_value());
  EXPECT_TRUE(is_open(live("nightly", seq).value()));
  EXPECT_FALSE(live("nightly", seq).value().is_held_back);
  EXPECT_EQ(claim_one(open_session()).row.seq, seq);
}

TEST_P(Orders, to_end_retries_make_the_present_attempt_the_last) {
  create("nightly");
  const Seq seq = start("nightly");
  const QueuedRun row = claim_one(open_session()).row;

  write(next("nightly").orders(Kind::end_retries, seq));

  EXPECT_EQ(run(seq).value().run.state, RunState::running);
  EXPECT_FALSE(run(seq).value().run.may_retry);
  // The worker that has not heard of it wants to retry: it must look again.
  EXPECT_EQ(write(update_of(row, retried(row.run, noon + 1s))), RunWritten::refused);
  EXPECT_EQ(finish(run(seq).value(), RunState::failed), RunWritten::written);
}

TEST_P(Orders, to_end_retries_end_a_run_in_back_off_as_its_last_attempt_did) {
  create("nightly");
  const Seq seq = start("nightly");
  const SessionId session = open_session();
  const QueuedRun row = claim_one(session).row;
  Run timed_out = retried(row.run, noon + 1s);
  timed_out.attempt_state = AttemptState::timed_out;
  write(update_of(row, timed_out));
  advance(5s);

  write(next("nightly").orders(Kind::end_retries, seq));

  EXPECT_EQ(run(seq).value().run.state, RunState::timed_out);
  EXPECT_EQ(run(seq).value().run.ended_at, noon + 5s);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::timed_out);
  EXPECT_THAT(claim(session), IsEmpty());
}

TEST_P(Orders, of_a_refused_transition_are_not_obeyed) {
  create("nightly");
  const Seq seq = start("nightly");
  const auto order = next("nightly").orders(Kind::cancel, seq);
  write(next("nightly"));

  EXPECT_EQ(commit(order).outcome, WriteOutcome::Outcome::refused);

  EXPECT_EQ(run(seq).value().run.state, RunState::queued);
  EXPECT_EQ(claim_one(open_session()).row.seq, seq);
}

}  // namespace
}  // namespace carillon::conformance
