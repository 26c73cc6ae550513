#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

/// Leases are a second, and ends are looked at a millisecond before or after, never at the very moment.
class Sessions : public StoreTest {
 protected:
  SessionId open() { return open_session(1s); }
  Result<Pulse> beat(SessionId session, std::span<const LaunchNotice> launched = {}) {
    return runs().heartbeat({.session = session, .launched = launched});
  }
  std::optional<ErrorCode> error_of_claim(SessionId session) {
    const auto claimed = runs().claim({.session = session, .queues = {"default"}, .count_max = 1});
    return claimed ? std::nullopt : std::optional{claimed.error().code};
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Sessions);

TEST_P(Sessions, have_ids_of_their_own) {
  const SessionId first = open();
  const SessionId second = open();

  EXPECT_NE(first, second);
  EXPECT_NE(first, SessionId{});
}

TEST_P(Sessions, are_over_when_their_lease_is) {
  create("nightly");
  const SessionId session = open();
  const Seq seq = start("nightly");

  advance(1s + 1ms);

  EXPECT_EQ(error_of_claim(session), ErrorCode::not_found);
  EXPECT_EQ(run(seq).value().run.state, RunState::queued);
  ASSERT_FALSE(beat(session).has_value());
  EXPECT_EQ(beat(session).error().code, ErrorCode::not_found);
}

TEST_P(Sessions, are_listed_as_workers_with_what_they_have_until_they_are_over) {
  create("nightly");
  must(runs().open_session("idle", 1min));
  const SessionId busy = must(runs().open_session("busy", 1h));
  const Seq seq = start("nightly");
  ASSERT_THAT(seqs_of(claim(busy)), ElementsAre(seq));

  const auto workers = must(query_store().read_workers(10));

  ASSERT_THAT(workers, SizeIs(2));
  EXPECT_EQ(workers[0].name, "busy");
  EXPECT_EQ(workers[0].running, 1);
  EXPECT_EQ(workers[1].name, "idle");
  EXPECT_EQ(workers[1].running, 0);
  EXPECT_EQ(workers[1].lease_until, noon + 1min);
  EXPECT_THAT(must(query_store().read_workers(1)), SizeIs(1));
  advance(1min + 1ms);
  EXPECT_THAT(must(query_store().read_workers(10)), SizeIs(1));
  must(runs().close_session(busy));
  EXPECT_THAT(must(query_store().read_workers(10)), IsEmpty());
}

TEST_P(Sessions, that_nobody_opened_are_over) {
  EXPECT_EQ(error_of_claim(SessionId{4711}), ErrorCode::not_found);
  ASSERT_FALSE(beat(SessionId{4711}).has_value());
  EXPECT_EQ(beat(SessionId{4711}).error().code, ErrorCode::not_found);
}

TEST_P(Sessions, live_on_with_each_heartbeat) {
  const SessionId session = open();
  for (int i = 0; i < 5; ++i) {
    advance(999ms);
    const Pulse pulse = must(beat(session));
    EXPECT_EQ(pulse.store_now, now());
    EXPECT_EQ(pulse.lease_until, now() + 1s);
  }

  EXPECT_EQ(error_of_claim(session), std::nullopt);
}

TEST_P(Sessions, are_never_renewed_once_they_are_over) {
  create("nightly");
  const SessionId session = open();
  start("nightly");
  claim_one(session);
  advance(1s + 1ms);
  EXPECT_FALSE(beat(session).has_value());

  EXPECT_FALSE(beat(session).has_value());
  EXPECT_THAT(lost(), SizeIs(1));
}

TEST_P(Sessions, end_at_once_when_they_are_closed) {
  create("nightly");
  const SessionId session = open();
  const Seq seq = start("nightly");
  claim_one(session);

  must(runs().close_session(session));

  EXPECT_EQ(error_of_claim(session), ErrorCode::not_found);
  EXPECT_FALSE(beat(session).has_value());
  EXPECT_THAT(lost(), ElementsAre(seq));
}

TEST_P(Sessions, a_claim_does_not_renew_the_lease) {
  create("nightly");
  const SessionId session = open();
  start("nightly");
  advance(900ms);
  EXPECT_EQ(claim_one(session).lease_until, noon + 1s);

  advance(200ms);

  EXPECT_FALSE(beat(session).has_value());
}

TEST_P(Sessions, runs_of_a_session_that_is_over_are_lost_until_somebody_ends_them) {
  create("nightly");
  const SessionId session = open();
  const Seq first = start("nightly");
  const Seq second = start("nightly");
  claim(session);
  EXPECT_THAT(lost(), IsEmpty());

  advance(1s + 1ms);
  EXPECT_THAT(lost(), ElementsAre(first, second));
  EXPECT_THAT(must(runs().read_lost(1)), SizeIs(1));

  EXPECT_EQ(finish(run(first).value(), RunState::lost), RunWritten::written);
  EXPECT_THAT(lost(), ElementsAre(second));
}

TEST_P(Sessions, a_lost_run_is_handed_out_with_what_it_takes_to_end_it) {
  create("nightly");
  const SessionId session = open();
  const Seq seq = start("nightly");
  claim_one(session);
  advance(2s);

  const auto rows = must(runs().read_lost(10));

  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].seq, seq);
  EXPECT_EQ(rows[0].session, session);
  EXPECT_EQ(rows[0].run, run(seq).value().run);
}

TEST_P(Sessions, another_session_can_go_on_with_runs_of_one_that_is_over) {
  create("nightly");
  const SessionId session = open();
  const Seq seq = start("nightly");
  const Seq other = enqueue("~other", "elsewhere");
  claim(session, 10, {"default", "elsewhere"});
  ASSERT_TRUE(must(runs().heartbeat({.session = session, .launched = std::vector<LaunchNotice>{{seq, 1, now()}}}))
                  .stops.empty());
  EXPECT_THAT(must(runs().adopt({.session = session, .queues = {"default"}, .count_max = 10})), IsEmpty());
  must(runs().close_session(session));
  const SessionId next = open();

  const auto adopted = must(runs().adopt({.session = next, .queues = {"default"}, .count_max = 10}));

  ASSERT_THAT(adopted, SizeIs(1));
  EXPECT_EQ(adopted[0].row.seq, seq);
  EXPECT_EQ(adopted[0].row.run.attempt, 1);
  EXPECT_EQ(adopted[0].row.run.attempt_state, AttemptState::launched);
  EXPECT_THAT(held(next), ElementsAre(seq));
  EXPECT_THAT(lost(), ElementsAre(other));
  EXPECT_EQ(finish(run(seq).value(), RunState::succeeded), RunWritten::written);
  EXPECT_THAT(must(runs().adopt({.session = next, .queues = {"default"}, .count_max = 10})), IsEmpty());
}

TEST_P(Sessions, who_goes_on_with_a_run_hears_that_it_is_to_stop) {
  create("nightly");
  const SessionId session = open();
  const Seq seq = start("nightly");
  claim_one(session);
  QueuedRun asked = run(seq).value();
  const Run stopping = cancel(asked.run, Stop::cancel, now()).value();
  ASSERT_EQ(must(runs().write(std::vector<RunUpdate>{{.seq = seq,
                                                      .attempt = asked.run.attempt,
                                                      .session = asked.session,
                                                      .state = asked.run.state,
                                                      .stop = asked.run.stop,
                                                      .may_retry = asked.run.may_retry,
                                                      .next = stopping}}))
                .front(),
            RunWritten::written);
  must(runs().close_session(session));
  const SessionId next = open();

  ASSERT_THAT(must(runs().adopt({.session = next, .queues = {"default"}, .count_max = 10})), SizeIs(1));

  const auto pulse = must(runs().heartbeat({.session = next, .launched = {}}));
  ASSERT_THAT(pulse.stops, SizeIs(1));
  EXPECT_EQ(pulse.stops[0].seq, seq);
  EXPECT_EQ(pulse.stops[0].how, Stop::cancel);
}

TEST_P(Sessions, a_session_that_is_over_goes_on_with_nothing) {
  const SessionId session = open();
  must(runs().close_session(session));

  const auto adopted = runs().adopt({.session = session, .queues = {"default"}, .count_max = 10});

  ASSERT_FALSE(adopted.has_value());
  EXPECT_EQ(adopted.error().code, ErrorCode::not_found);
}

TEST_P(Sessions, runs_that_nobody_has_are_not_lost) {
  create("nightly");
  const SessionId session = open();
  start("nightly");
  const QueuedRun retrying = claim_one(session).row;
  write(update_of(retrying, retried(retrying.run, noon + 1h)));
  start("nightly");
  finish(claim_one(session).row, RunState::succeeded);
  start("nightly");

  advance(1min);

  EXPECT_THAT(lost(), IsEmpty());
}

TEST_P(Sessions, hold_the_runs_they_claimed_and_no_others) {
  create("nightly");
  const SessionId session = open();
  const SessionId other = open();
  start("nightly");
  const QueuedRun ended = claim_one(session).row;
  const Seq seq = start("nightly");
  const ClaimedRun claimed = claim_one(session);
  const Seq foreign = start("nightly");
  claim_one(other);
  start("nightly");
  finish(ended, RunState::succeeded);
  advance(500ms);
  must(beat(session));

  const auto runs_held = must(runs().read_held(session));

  ASSERT_THAT(seqs_of(runs_held), ElementsAre(seq));
  EXPECT_EQ(runs_held[0].fence, claimed.fence);
  EXPECT_EQ(runs_held[0].lease_until, now() + 1s);
  EXPECT_EQ(runs_held[0].row.run, claimed.row.run);
  EXPECT_THAT(held(other), ElementsAre(foreign));
}

TEST_P(Sessions, a_heartbeat_notes_what_was_launched) {
  create("nightly");
  const SessionId session = open();
  const Seq seq = start("nightly");
  claim_one(session);
  advance(100ms);
  const LaunchNotice launched{.seq = seq, .attempt = 1, .at = noon + 50ms};

  must(beat(session, std::span{&launched, 1}));

  EXPECT_EQ(run(seq).value().run.attempt_state, AttemptState::launched);
  EXPECT_EQ(run(seq).value().run.started_at, noon + 50ms);
  const auto attempts = lines<AttemptLine>();
  ASSERT_THAT(attempts, SizeIs(1));
  EXPECT_EQ(attempts[0].state, AttemptState::launched);
  EXPECT_EQ(attempts[0].launched_at, noon + 50ms);
}

TEST_P(Sessions, the_first_launch_of_a_run_is_its_start) {
  create("nightly");
  const SessionId session = open();
  const Seq seq = start("nightly");
  claim_one(session);
  const LaunchNotice first{.seq = seq, .attempt = 1, .at = noon + 10ms};
  must(beat(session, std::span{&first, 1}));
  const LaunchNotice repeated{.seq = seq, .attempt = 1, .at = noon + 20ms};
  must(beat(session, std::span{&repeated, 1}));
  EXPECT_EQ(run(seq).value().run.started_at, noon + 10ms);
  const QueuedRun row = run(seq).value();
  write(update_of(row, retried(row.run, noon)));
  claim_one(session);

  const LaunchNotice second{.seq = seq, .attempt = 2, .at = noon + 30ms};
  must(beat(session, std::span{&second, 1}));

  EXPECT_EQ(run(seq).value().run.attempt_state, AttemptState::launched);
  EXPECT_EQ(run(seq).value().run.started_at, noon + 10ms);
}

TEST_P(Sessions, a_launch_of_what_the_session_does_not_have_is_not_noted) {
  create("nightly");
  const SessionId session = open();
  const SessionId other = open();
  const Seq seq = start("nightly");
  claim_one(session);
  const Run before = run(seq).value().run;

  const LaunchNotice foreign{.seq = seq, .attempt = 1, .at = noon};
  must(beat(other, std::span{&foreign, 1}));
  const std::vector<LaunchNotice> odd{{.seq = seq, .attempt = 2, .at = noon},
                                      {.seq = no_such_run, .attempt = 1, .at = noon}};
  must(beat(session, odd));

  EXPECT_EQ(run(seq).value().run, before);
}

TEST_P(Sessions, a_launch_after_the_end_of_an_attempt_is_not_noted) {
  create("nightly");
  const SessionId session = open();
  const Seq seq = start("nightly");
  finish(claim_one(session).row, RunState::succeeded);
  const Run before = run(seq).value().run;

  const LaunchNotice late{.seq = seq, .attempt = 1, .at = noon};
  must(beat(session, std::span{&late, 1}));

  EXPECT_EQ(run(seq).value().run, before);
}

TEST_P(Sessions, a_heartbeat_of_a_session_that_is_over_notes_nothing) {
  create("nightly");
  const SessionId session = open();
  const Seq seq = start("nightly");
  claim_one(session);
  advance(2s);

  const LaunchNotice launched{.seq = seq, .attempt = 1, .at = noon};
  EXPECT_FALSE(beat(session, std::span{&launched, 1}).has_value());

  EXPECT_EQ(run(seq).value().run.attempt_state, AttemptState::claimed);
}

TEST_P(Sessions, hear_of_stops_with_every_heartbeat_until_the_run_has_ended) {
  create("nightly");
  const SessionId session = open();
  const SessionId other = open();
  const Seq seq = start("nightly");
  claim_one(session);
  start("nightly");
  claim_one(other);
  EXPECT_THAT(must(beat(session)).stops, IsEmpty());

  write(next("nightly").orders(RunOrder::Kind::terminate, seq));

  for (int i = 0; i < 2; ++i) {
    const auto stops = must(beat(session)).stops;
    ASSERT_THAT(stops, SizeIs(1));
    EXPECT_EQ(stops[0].seq, seq);
    EXPECT_EQ(stops[0].how, Stop::terminate);
  }
  EXPECT_THAT(must(beat(other)).stops, IsEmpty());
  finish(run(seq).value(), RunState::cancelled);
  EXPECT_THAT(must(beat(session)).stops, IsEmpty());
}

}  // namespace
}  // namespace carillon::conformance
