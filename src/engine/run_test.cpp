#include "engine/run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;

constexpr Instant nine{std::chrono::seconds{1'800'000'000}};

RunRules rules_of(std::int64_t attempts) {
  RunRules rules;
  rules.retry.attempt_count_max = attempts;
  rules.retry.backoff = Backoff::fixed;
  rules.retry.initial = 1min;
  return rules;
}

Run running(const RunRules& rules) { return launch(claim(queued_run(rules, nine), nine).value(), 1, nine).value(); }

TEST(RunMachine, an_attempt_is_recorded_before_it_is_launched) {
  const auto claimed = claim(queued_run(rules_of(1), nine), nine + 1s).value();

  EXPECT_EQ(claimed.state, RunState::running);
  EXPECT_EQ(claimed.attempt, 1);
  EXPECT_EQ(claimed.attempt_state, AttemptState::claimed);
  EXPECT_FALSE(claimed.started_at);
}

TEST(RunMachine, an_attempt_is_launched_at_most_once) {
  EXPECT_EQ(launch(running(rules_of(1)), 1, nine).error().code, ErrorCode::conflict);
}

TEST(RunMachine, success_ends_the_run) {
  const auto run = finish(running(rules_of(4)), 1, AttemptOutcome::succeeded, rules_of(4), nine + 5s, 0).value();

  EXPECT_EQ(run.state, RunState::succeeded);
  EXPECT_EQ(run.ended_at, nine + 5s);
}

TEST(RunMachine, max_attempts_counts_attempts_not_retries) {
  const RunRules rules = rules_of(2);
  auto run = finish(running(rules), 1, AttemptOutcome::failed, rules, nine, 0).value();
  EXPECT_EQ(run.state, RunState::retrying);

  run = claim(run, nine + 1min).value();
  run = finish(run, 2, AttemptOutcome::failed, rules, nine + 2min, 0).value();

  EXPECT_EQ(run.state, RunState::failed);
}

TEST(RunMachine, a_retry_waits_for_its_back_off) {
  const auto run = finish(running(rules_of(4)), 1, AttemptOutcome::timed_out, rules_of(4), nine, 0).value();

  EXPECT_FALSE(claim(run, nine + 59s));
  EXPECT_TRUE(claim(run, nine + 60s));
}

TEST(RunMachine, an_action_may_ask_for_a_longer_wait_but_not_for_a_shorter_one) {
  const auto later = finish(running(rules_of(4)), 1, AttemptOutcome::failed, rules_of(4), nine, 0, 5min).value();
  const auto sooner = finish(running(rules_of(4)), 1, AttemptOutcome::failed, rules_of(4), nine, 0, 5s).value();

  EXPECT_EQ(later.claimable_from, nine + 5min);
  EXPECT_EQ(sooner.claimable_from, nine + 1min);
}

TEST(RunMachine, a_lost_attempt_is_retried_only_if_the_policy_says_so) {
  RunRules rules = rules_of(4);
  EXPECT_EQ(finish(running(rules), 1, AttemptOutcome::lost, rules, nine, 0)->state, RunState::lost);

  rules.retries_when_lost = true;
  EXPECT_EQ(finish(running(rules), 1, AttemptOutcome::lost, rules, nine, 0)->state, RunState::retrying);
}

TEST(RunMachine, a_late_result_of_an_older_attempt_changes_nothing) {
  RunRules rules = rules_of(4);
  rules.retries_when_lost = true;
  auto run = finish(running(rules), 1, AttemptOutcome::lost, rules, nine, 0).value();
  run = claim(run, nine + 1min).value();

  EXPECT_EQ(finish(run, 1, AttemptOutcome::succeeded, rules, nine + 2min, 0).error().code, ErrorCode::conflict);
}

TEST(RunMachine, cancelling_ends_a_run_that_no_worker_has) {
  const RunRules rules = rules_of(4);
  const auto retrying = finish(running(rules), 1, AttemptOutcome::failed, rules, nine, 0).value();

  EXPECT_EQ(cancel(queued_run(rules, nine), Stop::cancel, nine)->state, RunState::cancelled);
  EXPECT_EQ(cancel(retrying, Stop::cancel, nine)->state, RunState::cancelled);
}

TEST(RunMachine, cancelling_asks_a_running_one_whose_answer_ends_it) {
  const RunRules rules = rules_of(4);
  const auto asked = cancel(running(rules), Stop::cancel, nine).value();
  EXPECT_EQ(asked.state, RunState::running);

  EXPECT_EQ(finish(asked, 1, AttemptOutcome::failed, rules, nine, 0)->state, RunState::cancelled);
  EXPECT_EQ(finish(asked, 1, AttemptOutcome::succeeded, rules, nine, 0)->state, RunState::succeeded);
}

TEST(RunMachine, a_run_that_waited_too_long_expires_and_is_not_claimed) {
  RunRules rules = rules_of(4);
  rules.start_deadline = 1h;
  const auto run = queued_run(rules, nine);

  EXPECT_FALSE(expire(run, nine + 1h));
  EXPECT_TRUE(claim(run, nine + 1h));
  EXPECT_FALSE(claim(run, nine + 1h + 1us));
  EXPECT_EQ(expire(run, nine + 1h + 1us)->state, RunState::expired);
}

TEST(RunMachine, the_start_deadline_is_for_the_first_attempt_only) {
  RunRules rules = rules_of(4);
  rules.start_deadline = 1s;
  const auto retrying = finish(running(rules), 1, AttemptOutcome::failed, rules, nine, 0).value();

  EXPECT_FALSE(expire(retrying, nine + 1h));
  EXPECT_TRUE(claim(retrying, nine + 1h));
}

TEST(RunMachine, a_deleted_schedules_run_goes_on_without_retries) {
  const RunRules rules = rules_of(4);
  carillon::Run run = running(rules);
  run.may_retry = false;

  EXPECT_EQ(finish(run, 1, AttemptOutcome::failed, rules, nine, 0)->state, RunState::failed);
}

TEST(RunMachine, a_claimed_attempt_that_was_never_launched_is_given_back_and_does_not_count) {
  RunRules rules = rules_of(2);
  rules.start_deadline = 1h;
  auto run = claim(queued_run(rules, nine), nine + 1s).value();

  run = finish(run, 1, AttemptOutcome::released, rules, nine + 5s, 0).value();

  EXPECT_EQ(run.state, RunState::queued) << "as if nobody had claimed it";
  EXPECT_EQ(run.attempt_state, AttemptState::released);
  EXPECT_EQ(run.claimable_from, nine + 5s);
  EXPECT_EQ(run.expires_at, nine + 1h);
  run = finish(claim(run, nine + 5s).value(), 2, AttemptOutcome::failed, rules, nine + 6s, 0).value();
  EXPECT_EQ(run.state, RunState::retrying) << "one of two attempts is used";
  EXPECT_EQ(run.claimable_from, nine + 6s + 1min) << "the first back-off";
  run = finish(claim(run, nine + 2min).value(), 3, AttemptOutcome::released, rules, nine + 2min, 0).value();
  EXPECT_EQ(run.state, RunState::retrying);
  run = finish(claim(run, nine + 2min).value(), 4, AttemptOutcome::failed, rules, nine + 3min, 0).value();
  EXPECT_EQ(run.state, RunState::failed);
}

TEST(RunMachine, a_run_that_is_lost_too_often_in_a_row_is_parked) {
  RunRules rules = rules_of(10);
  rules.retries_when_lost = true;
  rules.lost_max = 3;
  auto run = queued_run(rules, nine);
  Instant now = nine;
  const auto lose = [&] {
    now = run.claimable_from;
    run = launch(claim(run, now).value(), run.attempt + 1, now).value();
    run = finish(run, run.attempt, AttemptOutcome::lost, rules, now, 0).value();
  };

  lose();
  lose();
  EXPECT_EQ(run.state, RunState::retrying);
  EXPECT_FALSE(run.is_parked);
  lose();

  EXPECT_EQ(run.state, RunState::lost);
  EXPECT_TRUE(run.is_parked);
}

TEST(RunMachine, an_attempt_that_ends_by_itself_forgives_lost_ones) {
  RunRules rules = rules_of(10);
  rules.retries_when_lost = true;
  auto run = running(rules);
  run.lost_count = 2;

  const auto failed = finish(run, 1, AttemptOutcome::failed, rules, nine, 0).value();

  EXPECT_EQ(failed.lost_count, 0);
  EXPECT_EQ(failed.state, RunState::retrying);
}

TEST(RunMachine, a_lost_run_that_was_being_cancelled_is_no_dead_letter) {
  RunRules rules = rules_of(10);
  rules.lost_max = 1;
  auto run = running(rules);
  run.stop = Stop::cancel;

  const auto ended = finish(run, 1, AttemptOutcome::lost, rules, nine, 0).value();

  EXPECT_EQ(ended.state, RunState::cancelled);
  EXPECT_FALSE(ended.is_parked);
}

TEST(RunMachine, an_attempt_is_given_back_whatever_the_policies_say_of_lost_ones) {
  const RunRules rules = rules_of(1);
  const auto claimed = claim(queued_run(rules, nine), nine).value();

  EXPECT_EQ(finish(claimed, 1, AttemptOutcome::released, rules, nine, 0)->state, RunState::queued);
}

TEST(RunMachine, what_was_launched_cannot_be_given_back) {
  const RunRules rules = rules_of(4);

  EXPECT_EQ(finish(running(rules), 1, AttemptOutcome::released, rules, nine, 0).error().code, ErrorCode::conflict);
}

TEST(RunMachine, one_that_is_no_longer_wanted_is_not_given_back) {
  const RunRules rules = rules_of(4);
  const auto claimed = claim(queued_run(rules, nine), nine).value();
  const auto asked = cancel(claimed, Stop::cancel, nine).value();
  auto deleted = claimed;
  deleted.may_retry = false;

  EXPECT_EQ(finish(asked, 1, AttemptOutcome::released, rules, nine, 0)->state, RunState::cancelled);
  EXPECT_EQ(finish(deleted, 1, AttemptOutcome::released, rules, nine, 0)->state, RunState::cancelled);
}

TEST(RunMachine, whether_it_is_tried_again_can_be_asked_before_it_is_written) {
  RunRules rules = rules_of(2);
  const auto run = running(rules);
  auto stopping = run;
  stopping.stop = Stop::cancel;

  EXPECT_TRUE(is_tried_again(run, AttemptOutcome::failed, rules));
  EXPECT_FALSE(is_tried_again(run, AttemptOutcome::lost, rules));
  EXPECT_FALSE(is_tried_again(run, AttemptOutcome::succeeded, rules));
  EXPECT_FALSE(is_tried_again(stopping, AttemptOutcome::failed, rules));
  rules.retries_when_lost = true;
  EXPECT_TRUE(is_tried_again(run, AttemptOutcome::lost, rules));
}

// Every sequence of events up to a length, at times that go on by a minute: what must hold in any of them.
class EveryHistory {
 public:
  explicit EveryHistory(RunRules rules) : rules_{rules} {}

  void explore(const Run& run, int depth, Instant now) {
    ++visited_;
    check(run);
    if (depth == 0) return;
    for (const auto& event : events(run.attempt, now)) {
      const Result<Run> next = event(run);
      if (!next) continue;
      ASSERT_FALSE(is_terminal(run.state))
          << "a run that ended changed from " << to_text(run.state) << " to " << to_text(next->state);
      ASSERT_LE(next->attempt - run.attempt, 1);
      ASSERT_TRUE(next->attempt == run.attempt || run.state != RunState::running)
          << "a new attempt beside a running one";
      explore(*next, depth - 1, now + 1min);
    }
  }
  [[nodiscard]] int visited() const { return visited_; }

 private:
  void check(const Run& run) const {
    ASSERT_LE(run.attempt - run.released_count, rules_.retry.attempt_count_max);
    ASSERT_EQ(is_terminal(run.state), run.ended_at.has_value());
    ASSERT_EQ(run.attempt == 0, !run.attempt_state.has_value());
    ASSERT_TRUE(run.state != RunState::succeeded || run.attempt_state == AttemptState::succeeded);
    ASSERT_TRUE(run.state != RunState::running || !is_terminal(*run.attempt_state));
    ASSERT_TRUE(run.state != RunState::expired || run.attempt == run.released_count);
  }

  [[nodiscard]] std::vector<std::function<Result<Run>(Run)>> events(std::int64_t newest, Instant now) const {
    std::vector<std::function<Result<Run>(Run)>> all{[now](Run run) { return claim(run, now); },
                                                     [now](Run run) { return cancel(run, Stop::cancel, now); },
                                                     [now](Run run) { return expire(run, now); }};
    for (std::int64_t attempt = std::max<std::int64_t>(newest - 1, 0); attempt <= newest + 1; ++attempt) {
      all.emplace_back([now, attempt](Run run) { return launch(run, attempt, now); });
      for (const auto outcome : {AttemptOutcome::succeeded, AttemptOutcome::failed, AttemptOutcome::timed_out,
                                 AttemptOutcome::cancelled, AttemptOutcome::lost, AttemptOutcome::released}) {
        all.emplace_back(
            [this, now, attempt, outcome](Run run) { return finish(run, attempt, outcome, rules_, now, 0); });
      }
    }
    return all;
  }

  RunRules rules_;
  int visited_ = 0;
};

TEST(RunMachine, holds_its_promises_in_every_short_history) {
  for (const bool retries_when_lost : {false, true}) {
    RunRules rules = rules_of(3);
    rules.retries_when_lost = retries_when_lost;
    rules.start_deadline = 2min;
    EveryHistory histories{rules};

    histories.explore(queued_run(rules, nine), 8, nine);

    EXPECT_GT(histories.visited(), 100);
  }
}

}  // namespace
}  // namespace carillon
