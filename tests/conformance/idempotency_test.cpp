#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

class NamedRequests : public StoreTest {
 protected:
  std::optional<IdempotencyRecord> known(const std::string& key) { return must(idempotency().find_request(key)); }

  template <typename T>
  static void expect_repeated(const Result<T>& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::conflict);
    EXPECT_EQ(result.error().rule, repeated_request);
  }
};
CARILLON_RUN_FOR_EVERY_STORE(NamedRequests);

TEST_P(NamedRequests, are_known_by_what_they_have_done) {
  const Uid uid = create("nightly");
  advance(1min);
  const auto committed = must(commit(next("nightly").decides(starting(noon)).decides(waiting(noon + 1s)),
                                     attached("schedule.trigger", "ann/1")));

  const auto record = known("ann/1");

  ASSERT_TRUE(record);
  EXPECT_EQ(record->fingerprint, "f");
  EXPECT_EQ(record->at, noon + 1min);
  EXPECT_EQ(record->uid, uid);
  EXPECT_EQ(record->decisions, committed.items.at(0).decisions);
  EXPECT_THAT(record->decisions, SizeIs(2));
  EXPECT_EQ(record->answer, std::nullopt);
  EXPECT_EQ(known("ann/2"), std::nullopt);
}

TEST_P(NamedRequests, of_a_creation_know_the_new_schedule) {
  const auto committed = must(commit(creation("nightly", noon), attached("schedule.create", "ann/1")));

  EXPECT_EQ(known("ann/1").value().uid, committed.items.at(0).uid);
}

TEST_P(NamedRequests, are_carried_out_once) {
  create("nightly");
  must(commit(next("nightly").decides(starting(noon)), attached("schedule.trigger", "ann/1")));

  expect_repeated(commit(next("nightly").decides(starting(noon)), attached("schedule.trigger", "ann/1")));
  expect_repeated(commit(creation("other", noon), attached("schedule.create", "ann/1")));

  EXPECT_EQ(view("nightly").state.version, 2);
  EXPECT_THAT(lines<DecisionLine>(), SizeIs(1));
  EXPECT_FALSE(must(schedules().find(key_of("other"))).view);
  EXPECT_THAT(must(audit().read_audit(std::nullopt, std::nullopt, 10)), SizeIs(1));
}

TEST_P(NamedRequests, that_were_refused_may_be_tried_again) {
  create("nightly");
  const ScheduleState state = view("nightly").state;
  write(next("nightly"));

  const auto refused = must(commit(after(state, noon), attached("schedule.pause", "ann/1")));
  EXPECT_EQ(refused.items.at(0).outcome, WriteOutcome::Outcome::refused);
  EXPECT_EQ(known("ann/1"), std::nullopt);

  EXPECT_TRUE(commit(next("nightly"), attached("schedule.pause", "ann/1")));
}

TEST_P(NamedRequests, may_queue_jobs) {
  const AdhocRun job{.document = "{}", .name = "~a", .queue = "default", .rules = {}};
  const AdhocRun other{.document = "{}", .name = "~b", .queue = "default", .rules = {}};
  const auto seqs = must(runs().enqueue(std::span{&job, 1}, attached("job.enqueue", "ann/1")));

  expect_repeated(runs().enqueue(std::span{&other, 1}, attached("job.enqueue", "ann/1")));

  EXPECT_EQ(known("ann/1").value().decisions, seqs);
  EXPECT_EQ(known("ann/1").value().uid, Uid{});
  EXPECT_THAT(claim(open_session()), SizeIs(1));
}

TEST_P(NamedRequests, may_change_runs_and_queues) {
  const Uid uid = create("nightly");
  const QueuedRun row = run(start("nightly")).value();
  const RunUpdate cancelling = update_of(row, ended(row.run, RunState::cancelled, now()));
  must(runs().write_command(cancelling, attached("run.cancel", "ann/1")));
  must(runs().pause_queue("default", true, attached("queue.pause", "ann/2")));

  expect_repeated(runs().write_command(cancelling, attached("run.cancel", "ann/1")));
  expect_repeated(runs().pause_queue("default", false, attached("queue.resume", "ann/2")));

  EXPECT_EQ(known("ann/1").value().uid, uid);
  EXPECT_TRUE(known("ann/2"));
}

TEST_P(NamedRequests, keep_their_first_answer) {
  create("nightly");
  const CommandMetadata command = attached("schedule.trigger", "ann/1");
  must(commit(next("nightly").decides(starting(noon)), command));

  must(idempotency().keep_answer(*command.request, "202 first"));
  must(idempotency().keep_answer(*command.request, "202 second"));

  EXPECT_EQ(known("ann/1").value().answer, "202 first");
  EXPECT_THAT(known("ann/1").value().decisions, SizeIs(1));
}

TEST_P(NamedRequests, that_changed_nothing_are_known_by_their_answer) {
  must(idempotency().keep_answer({.key = "ann/1", .fingerprint = "g"}, "400 it is paused"));

  const auto record = known("ann/1");

  ASSERT_TRUE(record);
  EXPECT_EQ(record->fingerprint, "g");
  EXPECT_EQ(record->answer, "400 it is paused");
  EXPECT_EQ(record->at, noon);
  EXPECT_THAT(record->decisions, IsEmpty());
  expect_repeated(commit(creation("nightly", noon), attached("schedule.create", "ann/1")));
}

TEST_P(NamedRequests, do_not_take_the_answer_of_another) {
  must(idempotency().keep_answer({.key = "ann/1", .fingerprint = "g"}, "one"));

  expect_repeated(idempotency().keep_answer({.key = "ann/1", .fingerprint = "h"}, "two"));

  EXPECT_EQ(known("ann/1").value().answer, "one");
}

TEST_P(NamedRequests, are_known_for_a_day) {
  create("nightly");
  must(commit(next("nightly"), attached("schedule.pause", "ann/1")));
  advance(24h - 1s);
  EXPECT_TRUE(known("ann/1"));

  advance(1s);

  EXPECT_EQ(known("ann/1"), std::nullopt);
  EXPECT_TRUE(commit(next("nightly"), attached("schedule.pause", "ann/1")));
  EXPECT_EQ(known("ann/1").value().at, noon + 24h);
}

}  // namespace
}  // namespace carillon::conformance
