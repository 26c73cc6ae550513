#include "scheduling/server_fixture.hpp"

#include <gmock/gmock.h>

#include <array>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RunFinisherTest : public ServerTest {
 protected:
  ClaimedRun claimed_run(ScheduleBuilder builder = a_schedule().by_hand()) {
    EXPECT_TRUE(server.create(builder.document(), "anna", request));
    EXPECT_TRUE(server.change(key("tower"), Triggered{.by = "anna", .id = "t1"}, request + 1));
    return claim_all().at(0);
  }
  RunState state_now(const ClaimedRun& run) { return read(run).run.state; }
  QueuedRun read(const ClaimedRun& run) {
    const Seq seq = run.row.seq;
    return memory.read_runs(std::span{&seq, 1}).value().at(0).value();
  }
  std::vector<RunWritten> finish(const ClaimedRun& run, AttemptOutcome outcome) {
    const Finish one{.run = run.row, .end = {.outcome = outcome, .launched_at = clock.now()}};
    return finisher.finish(std::span{&one, 1}).value();
  }
};

TEST_F(RunFinisherTest, an_attempt_that_succeeds_ends_its_run) {
  const ClaimedRun run = claimed_run();

  EXPECT_THAT(finish(run, AttemptOutcome::succeeded), ElementsAre(RunWritten::written));

  EXPECT_EQ(state_now(run), RunState::succeeded);
}

TEST_F(RunFinisherTest, an_attempt_that_fails_is_tried_again_after_its_back_off) {
  const ClaimedRun run = claimed_run();

  (void)finish(run, AttemptOutcome::failed);

  EXPECT_EQ(state_now(run), RunState::retrying);
  EXPECT_THAT(claim_all(), IsEmpty());
  clock.advance(1min);
  EXPECT_TRUE(memory.heartbeat({session, {}}).error().code == ErrorCode::not_found) << "its lease has ended";
  session = memory.open_session("worker", 30s).value();
  EXPECT_THAT(claim_all(), SizeIs(1));
}

TEST_F(RunFinisherTest, a_cancel_that_comes_with_the_end_of_an_attempt_is_not_overlooked) {
  const ClaimedRun run = claimed_run();
  store.before_write = [&] {
    EXPECT_TRUE(server.change(key("tower"), CancelRequested{.run = run.row.seq}, request + 2));
  };

  EXPECT_THAT(finish(run, AttemptOutcome::failed), ElementsAre(RunWritten::written));

  EXPECT_EQ(state_now(run), RunState::cancelled) << "not retried";
}

TEST_F(RunFinisherTest, a_command_whose_worker_died_is_lost_and_not_repeated) {
  const ClaimedRun run = claimed_run();
  clock.advance(31s);

  EXPECT_EQ(finisher.end_lost(10).value(), 1U);

  EXPECT_EQ(state_now(run), RunState::lost);
}

TEST_F(RunFinisherTest, a_job_whose_worker_died_is_given_to_another) {
  JobAction job;
  job.type = "report";
  const ClaimedRun run = claimed_run(a_schedule().by_hand().action(job));
  clock.advance(31s);

  EXPECT_EQ(finisher.end_lost(10).value(), 1U);

  EXPECT_EQ(state_now(run), RunState::retrying);
}

TEST_F(RunFinisherTest, the_result_of_an_attempt_that_was_given_up_changes_nothing) {
  const ClaimedRun run = claimed_run();
  clock.advance(31s);
  ASSERT_EQ(finisher.end_lost(10).value(), 1U);

  EXPECT_THAT(finish(run, AttemptOutcome::succeeded), ElementsAre(RunWritten::refused));

  EXPECT_EQ(state_now(run), RunState::lost);
}

TEST_F(RunFinisherTest, an_end_that_the_state_of_its_run_contradicts_holds_up_no_other) {
  const ClaimedRun run = claimed_run();
  Finish contradicted{.run = run.row, .end = {.outcome = AttemptOutcome::succeeded}};
  contradicted.run.run.state = RunState::succeeded;
  const Finish sound{.run = run.row, .end = {.outcome = AttemptOutcome::failed}};

  const auto outcomes = finisher.finish(std::array{contradicted, sound});

  ASSERT_TRUE(outcomes) << outcomes.error().message;
  EXPECT_THAT(*outcomes, ElementsAre(RunWritten::refused, RunWritten::written));
  EXPECT_EQ(state_now(run), RunState::retrying);
}

TEST_F(RunFinisherTest, a_result_told_twice_counts_once) {
  const ClaimedRun run = claimed_run();
  (void)finish(run, AttemptOutcome::succeeded);

  EXPECT_THAT(finish(run, AttemptOutcome::failed), ElementsAre(RunWritten::refused));

  EXPECT_EQ(state_now(run), RunState::succeeded);
}

TEST_F(RunFinisherTest, a_run_that_waited_too_long_for_its_first_attempt_expires) {
  ASSERT_TRUE(server.create(a_schedule().by_hand().with([](Policies& p) { p.start_deadline = 10min; }).document(),
                            "anna", request));
  ASSERT_TRUE(server.change(key("tower"), Triggered{.by = "anna", .id = "t1"}, request + 1));
  clock.advance(10min + 1us);

  EXPECT_EQ(finisher.end_expired(10).value(), 1U);

  session = memory.open_session("worker", 30s).value();
  EXPECT_THAT(claim_all(), IsEmpty());
}

}  // namespace
}  // namespace carillon::testing
