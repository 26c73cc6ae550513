#include "conformance/store_test.hpp"

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

TEST_P(ClockSetBack, what_could_be_claimed_must_wait_again) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).queued_at(noon + 1min));
  const SessionId session = open_session(1h);
  const ClaimRequest request{.session = session, .queues = {"default"}, .count_max = 10};
  set_time(noon + 2min);
  EXPECT_THAT(claim(session, 0), IsEmpty());

  set_time(noon);

  const Claimed claimed = must(runs().claim(request));
  EXPECT_THAT(claimed.runs, IsEmpty());
  EXPECT_EQ(claimed.next_claimable, noon + 1min);
  set_time(noon + 1min);
  EXPECT_THAT(seqs_of(claim(session)), ElementsAre(seq));
}

TEST_P(ClockSetBack, what_had_expired_can_be_claimed_if_nobody_has_ended_it) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).expires_at(noon + 1min));
  set_time(noon + 2min);
  ASSERT_THAT(expired(), ElementsAre(seq));

  set_time(noon + 30s);

  EXPECT_THAT(expired(), IsEmpty());
  EXPECT_THAT(seqs_of(claim(open_session())), ElementsAre(seq));
}

TEST_P(ClockSetBack, seqs_ascend_all_the_same) {
  create("nightly");
  const Seq before = start("nightly");

  set_time(noon - 24h);

  EXPECT_GT(start("nightly"), before);
  EXPECT_GT(create("other"), view("nightly").state.uid);
}

}  // namespace
}  // namespace carillon::conformance
