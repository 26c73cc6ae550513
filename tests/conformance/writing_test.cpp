#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

/// A run that a worker has.
class WritingRuns : public StoreTest {
 protected:
  void SetUp() override {
    create("nightly");
    seq = start("nightly");
    session = open_session(10h);
    row = claim_one(session).row;
  }

  RunUpdate success() { return update_of(row, ended(row.run, RunState::succeeded, now())); }
  void expect_refused(const RunUpdate& update) {
    EXPECT_EQ(write(update), RunWritten::refused);
    EXPECT_EQ(run(seq).value().run, row.run);
    EXPECT_EQ(live("nightly", seq).value().state, RunState::running);
  }

  Seq seq{};
  SessionId session{};
  QueuedRun row;
};
CARILLON_RUN_FOR_EVERY_STORE(WritingRuns);

TEST_P(WritingRuns, a_run_that_is_as_expected_becomes_what_is_written) {
  advance(3s);
  Run next = ended(row.run, RunState::failed, now());
  next.started_at = noon + 1s;

  EXPECT_EQ(write(update_of(row, next)), RunWritten::written);

  EXPECT_EQ(run(seq).value().run, next);
  EXPECT_EQ(run(seq).value().session, session);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::failed);
  EXPECT_EQ(decision_line(seq).ended_at, noon + 3s);
}

TEST_P(WritingRuns, another_attempt_is_refused) {
  RunUpdate update = success();
  update.attempt = 2;
  expect_refused(update);
}

TEST_P(WritingRuns, another_session_is_refused) {
  RunUpdate update = success();
  update.session = open_session();
  expect_refused(update);
}

TEST_P(WritingRuns, another_state_is_refused) {
  RunUpdate update = success();
  update.state = RunState::queued;
  expect_refused(update);
}

TEST_P(WritingRuns, a_stop_that_came_meanwhile_is_refused) {
  write(next("nightly").orders(RunOrder::Kind::cancel, seq));
  const Run stopping = run(seq).value().run;

  EXPECT_EQ(write(success()), RunWritten::refused);

  EXPECT_EQ(run(seq).value().run, stopping);
  EXPECT_EQ(finish(run(seq).value(), RunState::cancelled), RunWritten::written);
}

TEST_P(WritingRuns, a_stop_that_is_expected_but_was_not_asked_for_is_refused) {
  RunUpdate update = success();
  update.stop = Stop::cancel;
  expect_refused(update);
}

TEST_P(WritingRuns, another_right_to_retry_is_refused) {
  RunUpdate update = success();
  update.may_retry = false;
  expect_refused(update);
}

TEST_P(WritingRuns, an_unknown_run_is_refused) {
  RunUpdate update = success();
  update.seq = no_such_run;
  expect_refused(update);
}

TEST_P(WritingRuns, a_run_that_has_ended_never_changes_again) {
  finish(row, RunState::succeeded);
  const QueuedRun done = run(seq).value();
  advance(1min);

  EXPECT_EQ(finish(done, RunState::failed), RunWritten::refused);
  EXPECT_EQ(write(update_of(done, row.run)), RunWritten::refused);

  EXPECT_EQ(run(seq).value().run, done.run);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::succeeded);
}

TEST_P(WritingRuns, each_is_answered_for_itself) {
  const Seq other = start("nightly");
  const QueuedRun other_row = claim_one(session).row;
  RunUpdate wrong = success();
  wrong.attempt = 9;
  const std::vector<RunUpdate> updates{wrong, update_of(other_row, ended(other_row.run, RunState::failed, now())),
                                       success(), success()};

  EXPECT_THAT(must(runs().write(updates)),
              ElementsAre(RunWritten::refused, RunWritten::written, RunWritten::written, RunWritten::refused));

  EXPECT_EQ(run(other).value().run.state, RunState::failed);
  EXPECT_EQ(run(seq).value().run.state, RunState::succeeded);
}

TEST_P(WritingRuns, a_retry_is_open_and_belongs_to_nobody_but_remembers_who_had_it) {
  const Run next = retried(row.run, noon + 1min);

  EXPECT_EQ(write(update_of(row, next)), RunWritten::written);

  EXPECT_EQ(run(seq).value().run, next);
  EXPECT_EQ(run(seq).value().session, session);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::retrying);
  EXPECT_THAT(held(session), IsEmpty());
  EXPECT_EQ(decision_line(seq).ended_at, std::nullopt);
}

TEST_P(WritingRuns, a_late_result_of_an_attempt_that_was_given_up_is_refused) {
  write(update_of(row, retried(row.run, noon)));
  const QueuedRun second = claim_one(session).row;

  EXPECT_EQ(write(success()), RunWritten::refused);

  EXPECT_EQ(run(seq).value().run, second.run);
}

TEST_P(WritingRuns, a_run_outlives_the_session_that_has_it_until_it_is_given_up) {
  must(runs().close_session(session));

  EXPECT_EQ(write(success()), RunWritten::written);
  EXPECT_THAT(lost(), IsEmpty());
}

TEST_P(WritingRuns, a_launch_can_be_written_with_the_run) {
  Run next = row.run;
  next.attempt_state = AttemptState::launched;
  next.started_at = noon + 1s;

  EXPECT_EQ(write(update_of(row, next, {.launched_at = noon + 1s})), RunWritten::written);

  EXPECT_EQ(run(seq).value().run, next);
  EXPECT_EQ(live("nightly", seq).value().state, RunState::running);
  EXPECT_THAT(held(session), ElementsAre(seq));
  EXPECT_EQ(lines<AttemptLine>().at(0).state, AttemptState::launched);
}

TEST_P(WritingRuns, runs_are_read_in_the_order_asked_for) {
  const Seq other = start("nightly");
  const std::vector<Seq> asked{other, no_such_run, seq, other};

  const auto rows = must(runs().read_runs(asked));

  ASSERT_THAT(rows, SizeIs(4));
  EXPECT_EQ(rows[0].value().seq, other);
  EXPECT_EQ(rows[1].has_value(), false);
  EXPECT_EQ(rows[2].value().seq, seq);
  EXPECT_EQ(rows[3].value().seq, other);
}

TEST_P(WritingRuns, a_result_stays_with_the_run_that_left_it) {
  const Seq other = start("nightly");
  EXPECT_EQ(must(runs().read_result(seq)), std::nullopt);

  finish(row, RunState::succeeded, {.result = "{\"rows\":12}"});

  EXPECT_EQ(must(runs().read_result(seq)), "{\"rows\":12}");
  EXPECT_EQ(must(runs().read_result(other)), std::nullopt);
  EXPECT_EQ(must(runs().read_result(no_such_run)), std::nullopt);
}

TEST_P(WritingRuns, a_refused_write_leaves_no_result) {
  RunUpdate update = success();
  update.attempt = 2;
  update.end.result = "{}";

  write(update);

  EXPECT_EQ(must(runs().read_result(seq)), std::nullopt);
}

TEST_P(WritingRuns, an_empty_result_is_a_result) {
  finish(row, RunState::succeeded, {.result = ""});

  EXPECT_EQ(must(runs().read_result(seq)), "");
}

}  // namespace
}  // namespace carillon::conformance
