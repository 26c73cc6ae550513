#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

CARILLON_CONFORMANCE_SUITE(Waiting);

TEST_P(Waiting, a_waiting_decision_is_live_and_nobody_can_claim_it) {
  create("nightly");

  const Seq seq = decide("nightly", waiting(noon).due(noon + 3s).overlap(OverlapPolicy::buffer_all));

  EXPECT_EQ(live("nightly", seq), (LiveRun{.seq = seq,
                                           .nominal = noon,
                                           .due = noon + 3s,
                                           .state = RunState::waiting,
                                           .overlap = OverlapPolicy::buffer_all}));
  EXPECT_THAT(claim(open_session()), IsEmpty());
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::waiting);
}

TEST_P(Waiting, a_start_is_live_as_it_was_decided) {
  create("nightly");

  const Seq seq = decide("nightly", starting(noon).due(noon + 3s).of_backfill(4).beside_the_slot());

  EXPECT_EQ(live("nightly", seq), (LiveRun{.seq = seq,
                                           .nominal = noon,
                                           .due = noon + 3s,
                                           .source = Source::backfill,
                                           .state = RunState::queued,
                                           .holds_slot = false,
                                           .backfill = 4}));
}

TEST_P(Waiting, a_skip_is_not_live) {
  create("nightly");

  const Seq seq = decide("nightly", skipping(noon, SkipReason::overlap));

  EXPECT_THAT(view("nightly").live, IsEmpty());
  EXPECT_EQ(run(seq).has_value(), false);
  EXPECT_EQ(decision_line(seq).outcome, DecisionOutcome::skipped);
  EXPECT_EQ(decision_line(seq).reason, SkipReason::overlap);
}

TEST_P(Waiting, what_is_released_is_a_run_like_any_other_in_the_same_row) {
  const Uid uid = create("nightly");
  const Seq seq = decide("nightly", waiting(noon).payload("{\"a\":1}").trigger("t-1"));
  advance(10min);
  Starts how = a_start(now());
  how.revision = 3;
  how.priority = 5;
  how.queue = "fast";
  how.expires_at = now() + 1h;
  how.last_success = Seq{1};
  how.last_failure = Seq{2};

  write(next("nightly").resolves(seq, how));

  const QueuedRun row = run(seq).value();
  EXPECT_EQ(row.uid, uid);
  EXPECT_EQ(row.revision, 3);
  EXPECT_EQ(row.nominal, noon);
  EXPECT_EQ(row.source, Source::trigger);
  EXPECT_EQ(row.trigger, "t-1");
  EXPECT_EQ(row.payload, "{\"a\":1}");
  EXPECT_EQ(row.last_success, Seq{1});
  EXPECT_EQ(row.last_failure, Seq{2});
  EXPECT_EQ(row.queue, "fast");
  EXPECT_EQ(row.priority, 5);
  EXPECT_EQ(row.run, (Run{.queued_at = noon + 10min, .claimable_from = noon + 10min, .expires_at = noon + 1h + 10min}));
  EXPECT_EQ(live("nightly", seq).value().state, RunState::queued);
  EXPECT_THAT(seqs_of(claim(open_session(), 10, {"fast"})), ElementsAre(seq));
}

TEST_P(Waiting, a_release_keeps_its_line_and_says_since_when_it_waited) {
  create("nightly");
  const Seq seq = decide("nightly", waiting(noon));
  const std::size_t ledger_size = ledger().size();
  advance(10min);

  write(next("nightly").resolves(seq, a_start(now())));

  EXPECT_THAT(ledger(), SizeIs(ledger_size));
  const DecisionLine line = decision_line(seq);
  EXPECT_EQ(line.outcome, DecisionOutcome::started);
  EXPECT_EQ(line.waited_from, noon);
  EXPECT_EQ(line.head.at, noon + 10min);
  EXPECT_EQ(line.run, "nightly@2026-03-01T12:00:00Z");
}

TEST_P(Waiting, a_wait_may_end_in_a_skip) {
  create("nightly");
  const Seq seq = decide("nightly", waiting(noon));
  advance(10min);

  write(next("nightly").resolves(seq, Skips{SkipReason::superseded}));

  EXPECT_EQ(live("nightly", seq), std::nullopt);
  EXPECT_EQ(run(seq).has_value(), false);
  EXPECT_THAT(claim(open_session()), IsEmpty());
  const DecisionLine line = decision_line(seq);
  EXPECT_EQ(line.outcome, DecisionOutcome::skipped);
  EXPECT_EQ(line.reason, SkipReason::superseded);
  EXPECT_EQ(line.waited_from, noon);
}

TEST_P(Waiting, a_decision_that_never_waited_does_not_say_it_did) {
  create("nightly");

  EXPECT_EQ(decision_line(start("nightly")).waited_from, std::nullopt);
}

TEST_P(Waiting, a_refused_release_releases_nothing) {
  create("nightly");
  const Seq seq = decide("nightly", waiting(noon));
  const auto release = next("nightly").resolves(seq, a_start(noon));
  write(next("nightly"));

  EXPECT_EQ(commit(release).outcome, WriteOutcome::Outcome::refused);

  EXPECT_EQ(live("nightly", seq).value().state, RunState::waiting);
  EXPECT_THAT(claim(open_session()), IsEmpty());
}

TEST_P(Waiting, counted_runs_are_no_longer_live) {
  create("nightly");
  const Seq ended = start("nightly");
  const Seq open = decide("nightly", waiting(noon + 1min));
  finish(claim_one(open_session()).row, RunState::succeeded);
  ASSERT_EQ(live("nightly", ended).value().state, RunState::succeeded);

  write(next("nightly").counts(ended));

  EXPECT_EQ(live("nightly", ended), std::nullopt);
  EXPECT_TRUE(live("nightly", open).has_value());
  EXPECT_EQ(run(ended).value().run.state, RunState::succeeded);
}

}  // namespace
}  // namespace carillon::conformance
