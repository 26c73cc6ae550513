#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

class AdhocJobs : public StoreTest {
 protected:
  static AdhocRun job(std::string name) {
    return {.document = "{}", .name = std::move(name), .queue = "default", .rules = {}};
  }
  Seq enqueue(const AdhocRun& job) { return must(runs().enqueue(std::span{&job, 1}, {})).at(0); }
  std::optional<ErrorCode> error_of(const std::vector<AdhocRun>& jobs) {
    const auto seqs = runs().enqueue(jobs, {});
    return seqs ? std::nullopt : std::optional{seqs.error().code};
  }
};
CARILLON_RUN_FOR_EVERY_STORE(AdhocJobs);

TEST_P(AdhocJobs, are_queued_like_runs_of_schedules) {
  AdhocRun wanted = job("~a");
  wanted.priority = 4;
  wanted.queue = "fast";
  wanted.rules.start_deadline = 1min;
  wanted.rules.retry.attempt_count_max = 9;

  const Seq seq = enqueue(wanted);

  const QueuedRun row = run(seq).value();
  EXPECT_EQ(row.uid, Uid{});
  EXPECT_EQ(row.source, Source::adhoc);
  EXPECT_EQ(row.queue, "fast");
  EXPECT_EQ(row.priority, 4);
  ASSERT_TRUE(row.rules.has_value());
  EXPECT_EQ(row.rules->retry.attempt_count_max, 9);
  EXPECT_EQ(row.rules->start_deadline, 1min);
  EXPECT_EQ(row.run, (Run{.queued_at = noon, .claimable_from = noon, .expires_at = noon + 1min}));
  EXPECT_THAT(seqs_of(claim(open_session(), 10, {"fast"})), ElementsAre(seq));
}

TEST_P(AdhocJobs, are_answered_in_order) {
  const std::vector<AdhocRun> jobs{job("~c"), job("~a"), job("~b")};

  const auto seqs = must(runs().enqueue(jobs, {}));

  ASSERT_THAT(seqs, SizeIs(3));
  EXPECT_LT(seqs[0], seqs[1]);
  EXPECT_LT(seqs[1], seqs[2]);
  EXPECT_EQ(seqs_of(claim(open_session())), seqs);
}

TEST_P(AdhocJobs, a_name_exists_once) {
  enqueue(job("~a"));

  EXPECT_EQ(error_of({job("~a")}), ErrorCode::conflict);
  EXPECT_EQ(error_of({job("~b"), job("~b")}), ErrorCode::conflict);
  EXPECT_THAT(claim(open_session()), SizeIs(1));
}

TEST_P(AdhocJobs, are_queued_all_or_none) {
  enqueue(job("~a"));

  EXPECT_EQ(error_of({job("~b"), job("~a"), job("~c")}), ErrorCode::conflict);

  EXPECT_THAT(claim(open_session()), SizeIs(1));
  EXPECT_EQ(error_of({job("~b")}), std::nullopt);
}

TEST_P(AdhocJobs, a_name_stays_taken_after_the_run_has_ended) {
  enqueue(job("~a"));
  finish(claim_one(open_session()).row, RunState::succeeded);

  EXPECT_EQ(error_of({job("~a")}), ErrorCode::conflict);
}

TEST_P(AdhocJobs, are_claimed_among_the_runs_of_schedules_by_rank) {
  create("nightly");
  const Seq second = decide("nightly", starting(noon - 1min));
  AdhocRun urgent = job("~a");
  urgent.priority = 2;
  const Seq first = enqueue(urgent);
  const Seq third = enqueue(job("~b"));

  EXPECT_THAT(seqs_of(claim(open_session())), ElementsAre(first, second, third));
}

TEST_P(AdhocJobs, finish_are_lost_and_leave_results_like_runs_of_schedules) {
  const Seq seq = enqueue(job("~a"));
  const SessionId session = open_session(1s);
  const QueuedRun row = claim_one(session).row;
  EXPECT_THAT(held(session), ElementsAre(seq));
  advance(2s);
  EXPECT_THAT(lost(), ElementsAre(seq));

  EXPECT_EQ(finish(row, RunState::succeeded, {.result = "7"}), RunWritten::written);

  EXPECT_THAT(lost(), IsEmpty());
  EXPECT_EQ(run(seq).value().run.state, RunState::succeeded);
  EXPECT_EQ(must(runs().read_result(seq)), "7");
}

TEST_P(AdhocJobs, expire_when_nobody_takes_them) {
  AdhocRun hasty = job("~a");
  hasty.rules.start_deadline = 1min;
  const Seq seq = enqueue(hasty);

  advance(2min);

  EXPECT_THAT(expired(), ElementsAre(seq));
  EXPECT_THAT(claim(open_session()), IsEmpty());
}

TEST_P(AdhocJobs, are_tried_again_like_runs_of_schedules) {
  const Seq seq = enqueue(job("~a"));
  const SessionId session = open_session(1h);
  const QueuedRun row = claim_one(session).row;
  write(update_of(row, retried(row.run, noon + 1min)));
  EXPECT_THAT(claim(session), IsEmpty());

  advance(1min);

  EXPECT_EQ(claim_one(session).row.seq, seq);
}

}  // namespace
}  // namespace carillon::conformance
