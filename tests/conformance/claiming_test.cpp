#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

CARILLON_CONFORMANCE_SUITE(Claiming);

TEST_P(Claiming, hands_out_all_a_worker_needs_to_know) {
  const Uid uid = create("nightly");
  const Seq seq = decide("nightly", starting(noon - 1s)
                                        .due(noon)
                                        .trigger("t-9")
                                        .payload("{}")
                                        .revision(1)
                                        .priority(7)
                                        .last_success(Seq{5})
                                        .expires_at(noon + 1h));
  const SessionId session = open_session(30s);

  const ClaimedRun claimed = claim_one(session);

  EXPECT_EQ(claimed.lease_until, noon + 30s);
  EXPECT_EQ(claimed.row.seq, seq);
  EXPECT_EQ(claimed.row.uid, uid);
  EXPECT_EQ(claimed.row.revision, 1);
  EXPECT_EQ(claimed.row.nominal, noon - 1s);
  EXPECT_EQ(claimed.row.due, noon);
  EXPECT_EQ(claimed.row.source, Source::trigger);
  EXPECT_EQ(claimed.row.trigger, "t-9");
  EXPECT_EQ(claimed.row.payload, "{}");
  EXPECT_EQ(claimed.row.last_success, Seq{5});
  EXPECT_EQ(claimed.row.queue, "default");
  EXPECT_EQ(claimed.row.priority, 7);
  EXPECT_EQ(claimed.row.session, session);
  EXPECT_EQ(claimed.row.run, (Run{.state = RunState::running,
                                  .attempt = 1,
                                  .attempt_state = AttemptState::claimed,
                                  .queued_at = noon - 1s,
                                  .claimable_from = noon - 1s}));
}

TEST_P(Claiming, is_what_everybody_sees_afterwards) {
  create("nightly");
  const Seq seq = start("nightly");

  const ClaimedRun claimed = claim_one(open_session());

  EXPECT_EQ(run(seq).value().run, claimed.row.run);
  EXPECT_EQ(run(seq).value().session, claimed.row.session);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::running);
}

TEST_P(Claiming, gives_a_run_to_one_session_only) {
  create("nightly");
  const Seq seq = start("nightly");

  EXPECT_THAT(seqs_of(claim(open_session())), ElementsAre(seq));
  EXPECT_THAT(claim(open_session()), IsEmpty());
}

TEST_P(Claiming, goes_by_rank_and_then_by_seq) {
  create("nightly");
  // A step of priority is worth a minute of waiting.
  const Seq plain = decide("nightly", starting(noon - 5min));
  const Seq twin = decide("nightly", starting(noon - 5min));
  const Seq urgent = decide("nightly", starting(noon).priority(6));
  const Seq patient = decide("nightly", starting(noon - 20min).priority(-10));
  const Seq low = decide("nightly", starting(noon - 6min).priority(-50));

  EXPECT_THAT(seqs_of(claim(open_session())), ElementsAre(patient, urgent, plain, twin, low));
}

TEST_P(Claiming, hands_out_no_more_than_asked_for) {
  create("nightly");
  const Seq first = start("nightly");
  const Seq second = start("nightly");
  const Seq third = start("nightly");
  const SessionId session = open_session();

  EXPECT_THAT(claim(session, 0), IsEmpty());
  EXPECT_THAT(seqs_of(claim(session, 2)), ElementsAre(first, second));
  EXPECT_THAT(seqs_of(claim(session, 2)), ElementsAre(third));
}

TEST_P(Claiming, looks_only_into_the_queues_named) {
  create("nightly");
  const Seq slow = decide("nightly", starting(noon - 3min).queue("slow"));
  const Seq fast = decide("nightly", starting(noon - 2min).queue("fast"));
  const Seq plain = decide("nightly", starting(noon - 1min));
  const SessionId session = open_session();

  EXPECT_THAT(claim(session, 10, {}), IsEmpty());
  EXPECT_THAT(claim(session, 10, {"elsewhere"}), IsEmpty());
  EXPECT_THAT(seqs_of(claim(session, 10, {"fast"})), ElementsAre(fast));
  EXPECT_THAT(seqs_of(claim(session, 10, {"default", "slow"})), ElementsAre(slow, plain));
}

TEST_P(Claiming, merges_queues_by_rank) {
  create("nightly");
  const Seq second = decide("nightly", starting(noon - 2min).queue("a"));
  const Seq first = decide("nightly", starting(noon - 3min).queue("b"));
  const Seq third = decide("nightly", starting(noon - 1min).queue("b"));

  EXPECT_THAT(seqs_of(claim(open_session(), 10, {"a", "b"})), ElementsAre(first, second, third));
}

TEST_P(Claiming, hands_out_no_more_than_asked_for_over_all_queues) {
  create("nightly");
  const Seq second = decide("nightly", starting(noon - 2min).queue("a"));
  const Seq first = decide("nightly", starting(noon - 3min).queue("b"));
  const Seq third = decide("nightly", starting(noon - 1min).queue("b"));
  const SessionId session = open_session();

  EXPECT_THAT(seqs_of(claim(session, 2, {"a", "b"})), ElementsAre(first, second));
  EXPECT_THAT(seqs_of(claim(session, 2, {"a", "b"})), ElementsAre(third));
}

TEST_P(Claiming, leaves_what_may_not_be_claimed_yet_and_says_from_when) {
  create("nightly");
  const Seq later = decide("nightly", starting(noon).queued_at(noon + 2min));
  const Seq soon = decide("nightly", starting(noon).queued_at(noon + 1min));
  decide("nightly", starting(noon).queued_at(noon + 1s).queue("elsewhere"));
  const SessionId session = open_session(1h);
  const ClaimRequest request{.session = session, .queues = {"default"}, .count_max = 10};

  const ClaimResult early = must(runs().claim(request));
  EXPECT_THAT(early.runs, IsEmpty());
  EXPECT_EQ(early.store_now, noon);
  EXPECT_EQ(early.next_claimable, noon + 1min);

  set_time(noon + 1min);
  const ClaimResult first = must(runs().claim(request));
  EXPECT_THAT(seqs_of(first.runs), ElementsAre(soon));
  EXPECT_EQ(first.next_claimable, noon + 2min);

  set_time(noon + 3min);
  const ClaimResult second = must(runs().claim(request));
  EXPECT_THAT(seqs_of(second.runs), ElementsAre(later));
  EXPECT_EQ(second.next_claimable, std::nullopt);
}

TEST_P(Claiming, a_priority_does_not_make_a_run_claimable_earlier) {
  create("nightly");
  decide("nightly", starting(noon).queued_at(noon + 1min).priority(100));
  const Seq low = decide("nightly", starting(noon).priority(-100));

  EXPECT_THAT(seqs_of(claim(open_session())), ElementsAre(low));
}

TEST_P(Claiming, a_run_that_was_given_back_waits_again_and_counts_how_often) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).expires_at(noon + 1h));
  const SessionId session = open_session(1h);
  for (int count = 1; count <= 3; ++count) {
    const QueuedRun row = claim_one(session).row;
    EXPECT_EQ(row.run.attempt, count);
    EXPECT_EQ(row.run.released_count, count - 1);
    RunRules rules;
    rules.start_deadline = 1h;
    const Run next = carillon::finish(row.run, count, AttemptOutcome::released, rules, now(), 0).value();
    ASSERT_EQ(write(update_of(row, next)), RunWritten::written);

    EXPECT_EQ(run(seq).value().run, next);
    EXPECT_EQ(next.expires_at, noon + 1h);
    EXPECT_THAT(held(session), IsEmpty());
  }

  advance(1h + 1s);

  EXPECT_THAT(expired(), ElementsAre(seq));
}

TEST_P(Claiming, a_run_is_handed_out_with_the_result_of_the_last_success) {
  create("nightly");
  const Seq first = start("nightly");
  const SessionId session = open_session();
  finish(claim_one(session).row, RunState::succeeded, {.result = "{\"rows\":3}"});
  write(next("nightly").counts(first).decides(starting(noon).last_success(first)));

  const ClaimedRun second = claim_one(session);

  EXPECT_EQ(second.last_result, "{\"rows\":3}");
  EXPECT_EQ(must(runs().read_held(session)).at(0).last_result, "{\"rows\":3}");
}

TEST_P(Claiming, a_run_is_handed_out_with_how_the_last_one_failed) {
  create("nightly");
  const Seq first = start("nightly");
  const SessionId session = open_session();
  finish(claim_one(session).row, RunState::failed, {.ended_at = noon, .exit_code = 3, .error = "disk full"});
  write(next("nightly").counts(first).decides(starting(noon).last_failure(first)));

  const ClaimedRun second = claim_one(session);

  const PastFailure failure{.state = AttemptState::failed, .ended_at = noon, .exit_code = 3, .error = "disk full"};
  EXPECT_EQ(second.row.last_failure, first);
  EXPECT_EQ(second.last_failure, failure);
  EXPECT_EQ(must(runs().read_held(session)).at(0).last_failure, failure);
  EXPECT_EQ(run(second.row.seq).value().last_failure, first);
}

TEST_P(Claiming, a_failure_that_is_forgotten_is_not_told) {
  create("nightly");
  write(next("nightly").decides(starting(noon).last_failure(Seq{900})));

  EXPECT_EQ(claim_one(open_session()).last_failure, std::nullopt);
}

TEST_P(Claiming, a_retry_can_be_claimed_after_its_back_off_as_a_new_attempt) {
  create("nightly");
  const Seq seq = start("nightly");
  const SessionId first = open_session(1h);
  const SessionId second = open_session(1h);
  const QueuedRun row = claim_one(first).row;
  write(update_of(row, retried(row.run, noon + 1min)));

  EXPECT_THAT(claim(second), IsEmpty());
  set_time(noon + 1min);
  const ClaimedRun again = claim_one(second);

  EXPECT_EQ(again.row.seq, seq);
  EXPECT_EQ(again.row.run.attempt, 2);
  EXPECT_EQ(again.row.run.attempt_state, AttemptState::claimed);
  EXPECT_EQ(again.row.session, second);
}

TEST_P(Claiming, a_retry_is_ranked_by_the_end_of_its_back_off) {
  create("nightly");
  const Seq retry = decide("nightly", starting(noon - 1h));
  const SessionId session = open_session(1h);
  const QueuedRun row = claim_one(session).row;
  write(update_of(row, retried(row.run, noon + 2min)));
  const Seq fresh = decide("nightly", starting(noon + 1min));

  set_time(noon + 3min);

  EXPECT_THAT(seqs_of(claim(session)), ElementsAre(fresh, retry));
}

TEST_P(Claiming, what_has_expired_is_left_for_those_who_end_it) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).expires_at(noon + 1min));
  const Seq patient = decide("nightly", starting(noon).expires_at(noon + 1h));

  set_time(noon + 1min);
  EXPECT_THAT(expired(), IsEmpty());
  set_time(noon + 1min + 1us);
  EXPECT_THAT(expired(), ElementsAre(seq));
  EXPECT_THAT(seqs_of(claim(open_session())), ElementsAre(patient));
  EXPECT_THAT(expired(), ElementsAre(seq));
}

TEST_P(Claiming, a_run_can_be_claimed_at_the_very_moment_it_expires) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).expires_at(noon + 1min));

  set_time(noon + 1min);

  EXPECT_EQ(claim_one(open_session()).row.seq, seq);
}

TEST_P(Claiming, an_expired_run_stays_listed_until_it_is_ended) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).expires_at(noon + 1min));
  decide("nightly", starting(noon).expires_at(noon + 2min));
  advance(1h);
  EXPECT_THAT(expired(), SizeIs(2));
  EXPECT_THAT(must(runs().read_expired(1)), SizeIs(1));

  const QueuedRun waited = run(seq).value();
  EXPECT_EQ(write(update_of(waited, ended(waited.run, RunState::expired, now()))), RunWritten::written);

  EXPECT_THAT(expired(), SizeIs(1));
  EXPECT_EQ(live("nightly", seq).value().state, RunState::expired);
}

TEST_P(Claiming, a_claimed_run_cannot_expire) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).expires_at(noon + 1min));
  const QueuedRun row = claim_one(open_session(5h)).row;

  advance(1h);
  EXPECT_THAT(expired(), IsEmpty());
  write(update_of(row, retried(row.run, now())));
  advance(1h);
  EXPECT_THAT(expired(), IsEmpty());
  EXPECT_EQ(claim_one(open_session()).row.seq, seq);
}

TEST_P(Claiming, fences_of_a_schedule_ascend) {
  create("nightly");
  const SessionId session = open_session(1h);
  std::int64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    start("nightly");
    const ClaimedRun first = claim_one(session);
    EXPECT_GT(first.fence, last);
    write(update_of(first.row, retried(first.row.run, now())));
    const ClaimedRun retry = claim_one(session);
    EXPECT_GT(retry.fence, first.fence);
    last = retry.fence;
    finish(retry.row, RunState::succeeded);
  }
}

TEST_P(Claiming, inside_a_commit_hands_out_what_was_just_started) {
  create("nightly");
  const Seq older = decide("nightly", starting(noon - 1min));
  const SessionId session = open_session();
  const Transition transition = next("nightly").decides(starting(noon)).decides(waiting(noon)).transition();

  const CommitResult committed =
      commit(std::span{&transition, 1}, ClaimRequest{.session = session, .queues = {"default"}, .count_max = 10});

  EXPECT_THAT(seqs_of(committed.claimed), ElementsAre(older, committed.items.at(0).decisions.at(0)));
  EXPECT_EQ(committed.claimed.at(1).row.run.state, RunState::running);
  EXPECT_EQ(committed.claimed.at(1).lease_until, noon + 30s);
  EXPECT_EQ(held(session), seqs_of(committed.claimed));
}

TEST_P(Claiming, inside_a_commit_obeys_count_and_queues) {
  create("nightly");
  const SessionId session = open_session();
  const Transition transition = next("nightly")
                                    .decides(starting(noon).queue("elsewhere"))
                                    .decides(starting(noon))
                                    .decides(starting(noon))
                                    .transition();

  const CommitResult committed =
      commit(std::span{&transition, 1}, ClaimRequest{.session = session, .queues = {"default"}, .count_max = 1});

  EXPECT_THAT(seqs_of(committed.claimed), ElementsAre(committed.items.at(0).decisions.at(1)));
}

TEST_P(Claiming, inside_a_commit_for_a_session_that_is_over_writes_all_or_nothing) {
  create("a");
  create("b");
  const SessionId session = open_session();
  must(runs().close_session(session));
  const std::vector<Transition> batch{next("a").decides(starting(noon)).transition(),
                                      next("b").decides(starting(noon)).transition()};

  const auto committed =
      schedules().commit({.writer = {},
                          .transitions = batch,
                          .claim = ClaimRequest{.session = session, .queues = {"default"}, .count_max = 10}});

  EXPECT_EQ(view("a").state.version, view("b").state.version);
  if (committed) {
    EXPECT_THAT(committed->claimed, IsEmpty());
    EXPECT_EQ(view("a").state.version, 2);
  }
  EXPECT_THAT(lines<AttemptLine>(), IsEmpty());
}

TEST_P(Claiming, says_whether_there_is_anything_without_taking_it) {
  create("nightly");
  const std::vector<std::string> queues{"default"};
  EXPECT_FALSE(must(runs().has_claimable(queues, {}))) << "nothing at all";
  decide("nightly", starting(noon).queue("elsewhere"));
  decide("nightly", starting(noon).queued_at(noon + 1min));
  EXPECT_FALSE(must(runs().has_claimable(queues, {}))) << "in another queue, or not yet";

  set_time(noon + 1min);
  EXPECT_TRUE(must(runs().has_claimable(queues, {})));
  const SessionId session = open_session(1h);
  EXPECT_THAT(claim(session), SizeIs(1)) << "nobody has taken it";

  EXPECT_FALSE(must(runs().has_claimable(queues, {})));
}

}  // namespace
}  // namespace carillon::conformance
