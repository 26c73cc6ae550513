#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

class Forgetting : public StoreTest {
 protected:
  /// A run that has ended and is counted.
  Seq perform(std::string_view id, std::optional<std::string> result = {}) {
    const Seq seq = start(id);
    finish(claim_one(open_session()).row, RunState::succeeded, {.result = std::move(result)});
    TransitionBuilder counting = next(id).counts(seq);
    counting.next().last_success = seq;
    write(counting);
    return seq;
  }

  std::vector<RetentionCandidate> swept(Seq after = {}) { return must(retention().read_lines(after, 1'000)); }
  RetentionCandidate swept_line(Seq seq) {
    for (const RetentionCandidate& line : swept())
      if (line.seq == seq) return line;
    throw std::runtime_error{"there is no such line"};
  }
  bool may_go(Seq seq) { return swept_line(seq).may_go; }

  std::vector<Seq> beyond(Uid uid, std::int64_t keep) { return must(retention().read_prunable_runs(uid, keep)).runs; }
  void keep_details(Uid uid, std::int64_t keep) {
    must(retention().forget_details(uid, must(retention().read_prunable_runs(uid, keep))));
  }
  void forget(const std::vector<Seq>& lines) { must(retention().forget_lines(lines)); }
  void forget_all() {
    std::vector<Seq> lines;
    for (const RetentionCandidate& line : swept()) lines.push_back(line.seq);
    forget(lines);
  }
  std::vector<Seq> decisions() {
    std::vector<Seq> seqs;
    for (const DecisionLine& line : lines<DecisionLine>()) seqs.push_back(line.head.seq);
    return seqs;
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Forgetting);

TEST_P(Forgetting, sees_lines_in_order_but_not_what_users_did) {
  const Uid uid = create("nightly");
  const Seq first = decide("nightly", skipping(noon, SkipReason::missed));
  write(next("nightly").skips_range({.from = noon - 9min, .to = noon - 5min, .count = 5}).edits("{}"));
  const Seq last = decide("nightly", skipping(noon + 1s, SkipReason::missed));

  const auto lines = swept();

  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0].seq, first);
  EXPECT_EQ(lines[0].uid, uid);
  EXPECT_EQ(lines[2].seq, last);
  EXPECT_THAT(swept(first), SizeIs(2));
  EXPECT_THAT(must(retention().read_lines({}, 1)), SizeIs(1));
}

TEST_P(Forgetting, dates_a_run_by_its_end_and_says_how_it_ended) {
  create("nightly");
  const Seq seq = start("nightly");
  const QueuedRun row = claim_one(open_session(1h)).row;
  EXPECT_EQ(swept_line(seq).ended, std::nullopt);
  advance(20min);
  finish(row, RunState::failed);

  EXPECT_EQ(swept_line(seq).ended, RunState::failed);
  EXPECT_EQ(swept_line(seq).at, noon + 20min);
  EXPECT_TRUE(swept_line(seq).has_run);
}

TEST_P(Forgetting, drops_a_skip_when_there_is_a_newer_decision) {
  create("nightly");
  const Seq skip = decide("nightly", skipping(noon, SkipReason::missed));
  EXPECT_FALSE(may_go(skip));
  forget_all();
  EXPECT_THAT(decisions(), ElementsAre(skip));

  const Seq newest = decide("nightly", skipping(noon + 1s, SkipReason::missed));
  EXPECT_TRUE(may_go(skip));
  forget_all();

  EXPECT_THAT(decisions(), ElementsAre(newest));
}

TEST_P(Forgetting, keeps_runs_whose_details_are_kept) {
  const Uid uid = create("nightly");
  const Seq first = perform("nightly");
  const Seq second = perform("nightly");
  const Seq third = perform("nightly");

  keep_details(uid, 2);
  forget_all();

  EXPECT_THAT(decisions(), ElementsAre(second, third));
  EXPECT_EQ(run(first), std::nullopt);
  EXPECT_TRUE(run(second).has_value());
}

TEST_P(Forgetting, drops_attempts_after_their_run) {
  const Uid uid = create("nightly");
  perform("nightly");
  const Seq kept = perform("nightly");
  keep_details(uid, 1);

  forget_all();
  forget_all();

  ASSERT_THAT(lines<AttemptLine>(), SizeIs(1));
  EXPECT_EQ(lines<AttemptLine>()[0].run, decision_line(kept).run);
}

TEST_P(Forgetting, finds_runs_beyond_those_to_keep_newest_first_and_once) {
  const Uid uid = create("nightly");
  const Seq first = perform("nightly");
  const Seq second = perform("nightly");
  decide("nightly", skipping(now(), SkipReason::missed));
  perform("nightly");

  EXPECT_THAT(beyond(uid, 1), ElementsAre(second, first));
  EXPECT_THAT(beyond(uid, 3), IsEmpty());
  keep_details(uid, 1);
  EXPECT_THAT(beyond(uid, 1), IsEmpty());
  perform("nightly");
  EXPECT_THAT(beyond(uid, 1), SizeIs(1));
}

TEST_P(Forgetting, drops_results_beyond_those_to_keep) {
  const Uid uid = create("nightly");
  const Seq first = perform("nightly", "1");
  const Seq second = perform("nightly", "2");

  keep_details(uid, 1);

  EXPECT_EQ(must(runs().read_result(first)), std::nullopt);
  EXPECT_THAT(must(runs().read_result(second)), Optional(std::string{"2"}));
  EXPECT_THAT(decisions(), ElementsAre(first, second));
}

TEST_P(Forgetting, keeps_the_result_that_the_next_run_is_given) {
  const Uid uid = create("nightly");
  const Seq success = perform("nightly", "1");
  for (int i = 0; i < 3; ++i) {
    const Seq seq = start("nightly");
    finish(claim_one(open_session()).row, RunState::failed);
    write(next("nightly").counts(seq));
  }

  keep_details(uid, 1);
  forget_all();

  EXPECT_THAT(must(runs().read_result(success)), Optional(std::string{"1"}));
}

TEST_P(Forgetting, leaves_alone_what_is_open) {
  const Uid uid = create("nightly");
  const Seq running = decide("nightly", starting(noon - 3s));
  claim_one(open_session());
  const Seq queued = decide("nightly", starting(noon - 2s));
  const Seq waits = decide("nightly", waiting(noon - 1s));
  const Seq newest = decide("nightly", skipping(noon, SkipReason::overlap));

  keep_details(uid, 0);
  forget_all();

  EXPECT_THAT(beyond(uid, 0), IsEmpty());
  EXPECT_THAT(decisions(), ElementsAre(running, queued, waits, newest));
  EXPECT_THAT(lines<AttemptLine>(), SizeIs(1));
  EXPECT_EQ(run(running).value().run.state, RunState::running);
}

TEST_P(Forgetting, leaves_alone_what_is_not_counted_yet) {
  const Uid uid = create("nightly");
  const Seq ended = start("nightly");
  finish(claim_one(open_session()).row, RunState::failed);
  const Seq withdrawn = start("nightly");
  write(next("nightly").orders(RunOrder::Kind::withdraw, withdrawn));
  const Seq newest = decide("nightly", skipping(now(), SkipReason::overlap));
  keep_details(uid, 0);

  forget_all();

  EXPECT_THAT(decisions(), ElementsAre(ended, withdrawn, newest));
  write(next("nightly").counts(ended).counts(withdrawn));
  forget_all();
  EXPECT_THAT(decisions(), ElementsAre(newest));
}

TEST_P(Forgetting, does_not_keep_the_runs_of_a_deleted_schedule) {
  create("nightly");
  perform("nightly", "1");
  perform("nightly", "2");
  write(next("nightly").deletes());

  forget_all();

  EXPECT_THAT(decisions(), IsEmpty()) << "not even the newest, nor what the next run would have been given";
}

TEST_P(Forgetting, leaves_a_living_schedule_alone_when_told_to_forget_it) {
  const Uid uid = create("nightly");
  EXPECT_THAT(must(retention().read_deleted({}, 10)), IsEmpty());

  must(retention().forget_schedule(uid));

  EXPECT_TRUE(must(schedules().find(key_of("nightly"))).view.has_value());
}

TEST_P(Forgetting, is_seen_by_backfills) {
  const Uid uid = create("nightly");
  perform("nightly");
  advance(1s);
  perform("nightly");
  // From here on a store may have an index of past runs.
  write(next("nightly").has_backfill(
      {.number = 1, .id = "b", .from = noon, .to = noon + 1s, .cursor = noon, .total = 1}));
  keep_details(uid, 1);

  forget_all();

  EXPECT_THAT(must(schedules().read_past_runs(uid, noon, noon + 1h)),
              ElementsAre(PastRun{noon + 1s, RunState::succeeded}));
}

TEST_P(Forgetting, drops_jobs_and_frees_their_names) {
  const AdhocRun job{.document = "{}", .name = "~once", .queue = "default", .rules = {}};
  const Seq seq = must(runs().enqueue(std::span{&job, 1}, {})).at(0);
  EXPECT_FALSE(may_go(seq));
  forget_all();
  ASSERT_TRUE(run(seq).has_value());
  finish(claim_one(open_session()).row, RunState::succeeded);

  EXPECT_TRUE(may_go(seq));
  forget_all();

  EXPECT_EQ(run(seq), std::nullopt);
  EXPECT_TRUE(runs().enqueue(std::span{&job, 1}, {}).has_value());
}

TEST_P(Forgetting, never_gives_a_number_twice) {
  const Uid uid = create("nightly");
  perform("nightly");
  const Seq last = perform("nightly");
  keep_details(uid, 0);
  forget_all();

  EXPECT_GT(start("nightly"), last);
}

TEST_P(Forgetting, of_what_is_not_there_does_nothing) {
  create("nightly");
  const Seq seq = decide("nightly", skipping(noon, SkipReason::missed));

  forget({no_such_run, Seq{}, Seq{1}});
  EXPECT_THAT(beyond(Uid{4711}, 0), IsEmpty());
  must(retention().forget_details(Uid{4711}, {.newest = seq, .runs = {seq}}));

  EXPECT_THAT(decisions(), ElementsAre(seq));
  EXPECT_THAT(lines<ChangeLine>(), SizeIs(1));
}

}  // namespace
}  // namespace carillon::conformance
