#include "conformance/store_test.hpp"

#include <algorithm>

namespace carillon::conformance {
namespace {

class PausedQueues : public StoreTest {
 protected:
  bool pause(const std::string& queue) { return must(runs().pause_queue(queue, true, {})); }
  bool resume(const std::string& queue) { return must(runs().pause_queue(queue, false, {})); }
  std::optional<QueueRecord> record(const std::string& name) {
    const auto all = must(query_store().read_queues());
    const auto found = std::ranges::find(all, name, &QueueRecord::name);
    return found == all.end() ? std::nullopt : std::optional{*found};
  }
};
CARILLON_RUN_FOR_EVERY_STORE(PausedQueues);

TEST_P(PausedQueues, hand_out_nothing_until_they_go_on) {
  const Seq slow = enqueue("~a", "slow");
  const Seq fast = enqueue("~b", "fast");
  const SessionId session = open_session();

  EXPECT_TRUE(pause("slow"));
  EXPECT_THAT(seqs_of(claim(session, 10, {"slow", "fast"})), ElementsAre(fast));
  EXPECT_THAT(claim(session, 10, {"slow"}), IsEmpty());

  EXPECT_TRUE(resume("slow"));
  EXPECT_THAT(seqs_of(claim(session, 10, {"slow"})), ElementsAre(slow));
}

TEST_P(PausedQueues, are_told_by_name) {
  static_cast<void>(enqueue("~a", "fast"));
  EXPECT_THAT(must(query_store().read_paused_queues()), IsEmpty());
  pause("slow");
  pause("fast");

  EXPECT_THAT(must(query_store().read_paused_queues()), ElementsAre("fast", "slow"));
  resume("slow");
  EXPECT_THAT(must(query_store().read_paused_queues()), ElementsAre("fast"));
}

TEST_P(PausedQueues, hand_out_nothing_inside_a_commit_either) {
  create("nightly");
  const SessionId session = open_session();
  pause("default");
  const auto deciding = next("nightly").decides(starting(noon)).decides(starting(noon).queue("fast"));

  const auto committed = commit(std::span{&deciding.transition(), 1},
                                ClaimRequest{.session = session, .queues = {"default", "fast"}, .count_max = 10});

  ASSERT_THAT(committed.claimed, SizeIs(1));
  EXPECT_EQ(committed.claimed[0].row.queue, "fast");
  resume("default");
  EXPECT_THAT(claim(session), SizeIs(1));
}

TEST_P(PausedQueues, are_no_reason_to_come_back) {
  create("nightly");
  decide("nightly", starting(noon).queued_at(noon + 1min));
  const SessionId session = open_session();
  const ClaimRequest request{.session = session, .queues = {"default"}, .count_max = 10};
  EXPECT_EQ(must(runs().claim(request)).next_claimable, noon + 1min);

  pause("default");

  EXPECT_EQ(must(runs().claim(request)).next_claimable, std::nullopt);
}

TEST_P(PausedQueues, leave_alone_what_runs_already) {
  enqueue("~a");
  const QueuedRun row = claim_one(open_session()).row;

  pause("default");

  EXPECT_EQ(finish(row, RunState::succeeded), RunWritten::written);
}

TEST_P(PausedQueues, still_let_runs_expire) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).expires_at(noon + 1min));
  pause("default");

  advance(2min);

  EXPECT_THAT(expired(), ElementsAre(seq));
}

TEST_P(PausedQueues, change_only_when_they_are_not_so_already) {
  EXPECT_FALSE(must(runs().pause_queue("default", false, attached("queue.resume", "ann/0"))));
  EXPECT_TRUE(must(runs().pause_queue("default", true, attached("queue.pause", "ann/1"))));
  EXPECT_FALSE(must(runs().pause_queue("default", true, attached("queue.pause", "ann/2"))));

  EXPECT_THAT(must(audit().read_audit(std::nullopt, std::nullopt, 10)), SizeIs(1));
  EXPECT_EQ(must(idempotency().find_request("ann/0")), std::nullopt);
  EXPECT_TRUE(must(idempotency().find_request("ann/1")));
  EXPECT_EQ(must(idempotency().find_request("ann/2")), std::nullopt);
}

TEST_P(PausedQueues, may_be_paused_before_anything_was_queued) {
  EXPECT_TRUE(pause("later"));
  EXPECT_TRUE(record("later").value().is_paused);

  enqueue("~a", "later");

  EXPECT_THAT(claim(open_session(), 10, {"later"}), IsEmpty());
  EXPECT_EQ(record("later").value().depth, 1);
}

TEST_P(PausedQueues, are_told_of_like_all_queues_that_had_a_run) {
  EXPECT_EQ(record("default"), std::nullopt);
  enqueue("~a");
  enqueue("~b");
  advance(1min);
  enqueue("~c");
  const QueuedRun row = claim(open_session(), 1).at(0).row;

  const QueueRecord busy = record("default").value();
  EXPECT_EQ(busy.depth, 2);
  EXPECT_EQ(busy.running, 1);
  EXPECT_EQ(busy.oldest, noon);
  EXPECT_FALSE(busy.is_paused);

  finish(row, RunState::succeeded);
  claim(open_session());
  const QueueRecord drained = record("default").value();
  EXPECT_EQ(drained.depth, 0);
  EXPECT_EQ(drained.running, 2);
  EXPECT_EQ(drained.oldest, std::nullopt);
}

TEST_P(PausedQueues, count_what_may_not_be_claimed_yet_but_not_as_old) {
  create("nightly");
  decide("nightly", starting(noon).queued_at(noon + 1min));

  EXPECT_EQ(record("default").value().depth, 1);
  EXPECT_EQ(record("default").value().oldest, std::nullopt);
  advance(2min);
  EXPECT_EQ(record("default").value().oldest, noon + 1min);
}

TEST_P(PausedQueues, have_nothing_to_claim) {
  create("nightly");
  decide("nightly", starting(noon));
  const std::vector<std::string> queues{"default"};
  ASSERT_TRUE(must(runs().has_claimable(queues, {})));

  pause("default");

  EXPECT_FALSE(must(runs().has_claimable(queues, {})));
}

}  // namespace
}  // namespace carillon::conformance
