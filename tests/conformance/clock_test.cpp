#include "conformance/store_test.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace carillon::conformance {
namespace {

CARILLON_CONFORMANCE_SUITE(ClockSetBack);

TEST_P(ClockSetBack, what_was_due_is_due_no_longer) {
  const Uid uid = write(creation("nightly", noon).wakes_at(noon + 1min)).uid;
  set_time(noon + 2min);
  ASSERT_THAT(due(), ElementsAre(uid));

  set_time(noon);

  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(read_due().next_wake, noon + 1min);
}

TEST_P(ClockSetBack, what_could_be_claimed_can_be_claimed_all_the_same) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).queued_at(noon + 1min));
  const SessionId session = open_session(1h);
  set_time(noon + 2min);
  EXPECT_THAT(claim(session, 0), IsEmpty());

  set_time(noon);

  EXPECT_THAT(seqs_of(claim(session)), ElementsAre(seq));
}

TEST_P(ClockSetBack, what_had_expired_stays_so) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).expires_at(noon + 1min));
  set_time(noon + 2min);
  ASSERT_THAT(expired(), ElementsAre(seq));

  set_time(noon + 30s);

  EXPECT_THAT(expired(), ElementsAre(seq));
  EXPECT_THAT(claim(open_session()), IsEmpty());
}

TEST_P(ClockSetBack, what_was_decided_ahead_of_it_is_refused) {
  create("nightly");
  set_time(noon + 1h);
  const TransitionBuilder decided = next("nightly").decides(starting(noon + 1h));

  set_time(noon);

  EXPECT_EQ(commit(decided).outcome, WriteOutcome::Outcome::refused);
  EXPECT_EQ(commit(next("nightly").decides(starting(noon))).outcome, WriteOutcome::Outcome::written);
}

TEST_P(ClockSetBack, seqs_ascend_all_the_same) {
  create("nightly");
  const Seq before = start("nightly");

  set_time(noon - 24h);

  EXPECT_GT(start("nightly"), before);
  EXPECT_GT(create("other"), view("nightly").state.uid);
}

/// The clock is set by so much while nothing else happens, and every length of time stays what it was.
class ClockStep : public StoreTest {
 protected:
  static constexpr std::array steps{20s, 7'200s, -60s, -7'200s};
};
CARILLON_RUN_FOR_EVERY_STORE(ClockStep);

TEST_P(ClockStep, ends_no_session_and_makes_none_longer) {
  create("nightly");
  start("nightly");
  for (const Duration step : steps) {
    const SessionId session = open_session(30s);
    advance(15s);

    step_clock(step);

    EXPECT_TRUE(runs().heartbeat({.session = session, .launched = {}}).has_value()) << to_text(now());
    advance(31s);
    EXPECT_FALSE(runs().heartbeat({.session = session, .launched = {}}).has_value()) << to_text(now());
  }
}

TEST_P(ClockStep, leaves_a_worker_what_it_holds_before_anything_is_written) {
  create("nightly");
  const Seq seq = start("nightly");
  const SessionId session = open_session(30s);
  claim_one(session);

  step_clock(2h);

  EXPECT_THAT(held(session), ElementsAre(seq));
  EXPECT_THAT(lost(), IsEmpty());
  EXPECT_THAT(held(session), ElementsAre(seq));
}

TEST_P(ClockStep, neither_shortens_nor_lengthens_a_back_off) {
  create("nightly");
  start("nightly");
  QueuedRun row = claim_one(open_session(30s)).row;
  for (const Duration step : steps) {
    write(update_of(row, retried(row.run, now() + 5s)));
    advance(2s);

    step_clock(step);

    const SessionId session = open_session(1h);
    EXPECT_THAT(claim(session), IsEmpty());
    EXPECT_EQ(run(row.seq).value().run.claimable_from, now() + 3s);
    advance(3s);
    row = claim_one(session).row;
  }
}

TEST_P(ClockStep, tells_when_the_next_run_may_be_claimed) {
  create("nightly");
  start("nightly");
  const QueuedRun row = claim_one(open_session(30s)).row;
  write(update_of(row, retried(row.run, now() + 5s)));

  step_clock(-1h);

  const ClaimResult claimed = must(runs().claim({.session = open_session(), .queues = {"default"}, .count_max = 1}));
  EXPECT_EQ(claimed.next_claimable, now() + 5s);
}

TEST_P(ClockStep, leaves_a_queued_run_the_time_it_may_wait) {
  for (const Duration step : steps) {
    const std::string id = fmt::format("nightly{}", step.count());
    create(id);
    const Seq seq = decide(id, starting(now()).expires_at(now() + 1min));

    step_clock(step);

    EXPECT_THAT(expired(), IsEmpty());
    advance(59s);
    EXPECT_THAT(expired(), IsEmpty());
    advance(2s);
    EXPECT_THAT(expired(), ElementsAre(seq));
    write(update_of(run(seq).value(), ended(run(seq).value().run, RunState::expired, now())));
  }
}

TEST_P(ClockStep, keeps_the_order_in_which_runs_wait) {
  create("first");
  create("second");
  const Seq first = start("first");
  step_clock(-1h);
  const Seq second = start("second");

  EXPECT_THAT(seqs_of(claim(open_session())), ElementsAre(first, second));
}

}  // namespace
}  // namespace carillon::conformance
