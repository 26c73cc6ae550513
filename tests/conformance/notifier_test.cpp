#include "conformance/store_test.hpp"

#include <future>
#include <optional>
#include <thread>

namespace carillon::conformance {
namespace {

class Notifying : public StoreTest {
 protected:
  /// What one call of the store told, put together.
  template <typename Call>
  StoreChange told_by(Call call) {
    StoreChange told;
    const NotifierSubscription subscription = notifier().subscribe([&](const StoreChange& change) { told |= change; });
    call();
    return told;
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Notifying);

TEST_P(Notifying, tells_of_a_change_when_it_can_be_read) {
  std::vector<std::int64_t> seen;
  const auto subscription = notifier().subscribe(
      [&](const StoreChange&) { seen.push_back(must(feed().read_events(std::nullopt, 1)).newest); });

  create("a");
  create("b");

  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST_P(Notifying, tells_every_listener) {
  int first = 0;
  int second = 0;
  const auto one = notifier().subscribe([&](const StoreChange&) { ++first; });
  const auto other = notifier().subscribe([&](const StoreChange&) { ++second; });

  create("nightly");

  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST_P(Notifying, ends_with_the_subscription_and_for_no_other_listener) {
  int first = 0;
  int second = 0;
  std::optional<NotifierSubscription> one = notifier().subscribe([&](const StoreChange&) { ++first; });
  const auto other = notifier().subscribe([&](const StoreChange&) { ++second; });

  one.reset();
  create("nightly");

  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
}

TEST_P(Notifying, has_no_call_under_way_when_a_subscription_has_ended) {
  std::promise<void> is_inside;
  std::promise<void> may_leave;
  bool has_left = false;
  std::optional<NotifierSubscription> subscription = notifier().subscribe([&](const StoreChange&) {
    is_inside.set_value();
    may_leave.get_future().wait();
    has_left = true;
  });
  std::jthread writer{[&] { create("nightly"); }};
  is_inside.get_future().wait();
  std::jthread helper{[&] { may_leave.set_value(); }};

  subscription.reset();

  EXPECT_TRUE(has_left);
}

TEST_P(Notifying, says_nothing_of_what_changes_nothing_anybody_waits_for) {
  create("nightly");
  ScheduleState outdated = view("nightly").state;
  outdated.version = 4711;
  int calls = 0;
  const auto subscription = notifier().subscribe([&](const StoreChange&) { ++calls; });

  commit(creation("nightly", noon));
  commit(after(outdated, noon).decides(starting(noon)));
  const SessionId session = open_session();
  must(runs().heartbeat({.session = session, .launched = {}}));
  must(runs().close_session(session));
  must(runs().pause_queue("default", true, {}));

  EXPECT_EQ(calls, 0);
}

TEST_P(Notifying, says_nothing_of_what_was_taken_back) {
  enqueue("~a");
  int calls = 0;
  const auto subscription = notifier().subscribe([&](const StoreChange&) { ++calls; });
  const std::vector<AdhocRun> jobs{{.document = "{}", .name = "~b", .queue = "default", .rules = {}},
                                   {.document = "{}", .name = "~a", .queue = "default", .rules = {}}};

  EXPECT_FALSE(runs().enqueue(jobs, {}));

  EXPECT_EQ(calls, 0);
}

TEST_P(Notifying, tells_that_a_run_may_be_claimed) {
  create("nightly");

  EXPECT_TRUE(told_by([&] { start("nightly"); }).has_claimable);
  EXPECT_TRUE(told_by([&] { enqueue("~a"); }).has_claimable);
  EXPECT_FALSE(told_by([&] { decide("nightly", skipping(noon, SkipReason::overlap)); }).has_claimable);
  EXPECT_FALSE(told_by([&] { decide("nightly", waiting(noon)); }).has_claimable);
}

TEST_P(Notifying, tells_that_a_run_may_be_claimed_again_at_a_later_time) {
  enqueue("~a");
  const QueuedRun row = claim_one(open_session()).row;

  const StoreChange told = told_by([&] { write(update_of(row, retried(row.run, now() + 1min))); });

  EXPECT_TRUE(told.has_claimable);
  EXPECT_TRUE(told.has_events);
}

TEST_P(Notifying, tells_that_a_queue_is_open_again) {
  enqueue("~a");
  must(runs().pause_queue("default", true, {}));

  const StoreChange told = told_by([&] { must(runs().pause_queue("default", false, {})); });

  EXPECT_TRUE(told.has_claimable);
}

TEST_P(Notifying, tells_of_claims_and_ends_that_there_are_events) {
  enqueue("~a");
  const SessionId session = open_session();
  std::optional<ClaimedRun> claimed;

  const StoreChange by_claim = told_by([&] { claimed = claim_one(session); });
  const StoreChange by_end = told_by([&] { finish(claimed->row, RunState::succeeded); });

  EXPECT_EQ(by_claim, StoreChange{.has_events = true});
  EXPECT_EQ(by_end, StoreChange{.has_events = true});
}

TEST_P(Notifying, tells_that_a_schedule_wakes_earlier_than_before) {
  EXPECT_TRUE(told_by([&] { write(creation("nightly", noon).wakes_at(noon + 1h)); }).has_wake);

  EXPECT_TRUE(told_by([&] { write(next("nightly").wakes_at(noon + 1min)); }).has_wake);
  EXPECT_FALSE(told_by([&] { write(next("nightly").wakes_at(noon + 1min)); }).has_wake);
  EXPECT_FALSE(told_by([&] { write(next("nightly").wakes_at(noon + 2h)); }).has_wake);
  EXPECT_FALSE(told_by([&] { write(next("nightly").sleeps()); }).has_wake);
}

TEST_P(Notifying, tells_that_the_end_of_a_run_wakes_its_schedule) {
  create("nightly");
  write(next("nightly").decides(starting(noon)).listens(true));
  const QueuedRun row = claim_one(open_session()).row;

  const StoreChange told = told_by([&] { finish(row, RunState::succeeded); });

  EXPECT_TRUE(told.has_wake);
}

}  // namespace
}  // namespace carillon::conformance
