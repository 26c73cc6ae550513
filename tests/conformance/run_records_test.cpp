#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

class RunRecords : public StoreTest {
 protected:
  std::optional<RunRecordRow> record(Seq seq) { return must(query_store().read_run_records(std::span{&seq, 1})).at(0); }
  static std::vector<Seq> seqs(const RunList& list) {
    std::vector<Seq> found;
    for (const RunRecordRow& item : list.items) found.push_back(item.seq);
    return found;
  }
  std::vector<Seq> listed(const RunFilter& filter) { return seqs(must(query_store().list_runs({.filter = filter}))); }
  std::optional<Seq> found(const std::string& name, const std::string& name_space = "default") {
    return must(query_store().find_run(name_space, name));
  }
  Seq enqueue_in(std::string name_space, std::string name) {
    const AdhocRun job{.name_space = std::move(name_space),
                       .document = "{}",
                       .name = std::move(name),
                       .queue = "default",
                       .rules = {}};
    return must(runs().enqueue(std::span{&job, 1}, {})).at(0);
  }
};
CARILLON_RUN_FOR_EVERY_STORE(RunRecords);

TEST_P(RunRecords, tell_the_story_of_a_run_attempt_by_attempt) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon).due(noon + 1s).trigger("t1").priority(3));
  const SessionId session = open_session(1h);
  const QueuedRun first = claim_one(session).row;
  const ResourceUse use{.user_time = 120ms, .system_time = 7us, .memory_max = 9'000'000};
  advance(1min);
  write(update_of(first, retried(first.run, now()), {.signal = 9, .error = "it broke"}));
  const QueuedRun second = claim_one(session).row;
  advance(1min);
  finish(second, RunState::succeeded, {.launched_at = noon + 90s, .exit_code = 0, .result = "7", .use = use});

  const auto found = record(seq);

  ASSERT_TRUE(found);
  EXPECT_EQ(found->attempts.at(0).use, std::nullopt);
  EXPECT_EQ(found->attempts.at(1).use, use);
  EXPECT_EQ(found->key, key_of("nightly"));
  EXPECT_EQ(found->name_space, "default");
  EXPECT_EQ(found->outcome, DecisionOutcome::started);
  EXPECT_EQ(found->reason, std::nullopt);
  EXPECT_EQ(found->decided_revision, 1);
  EXPECT_EQ(found->decided_at, noon);
  EXPECT_EQ(found->run, run(seq).value().run);
  EXPECT_EQ(found->trigger, "t1");
  EXPECT_EQ(found->due, noon + 1s);
  EXPECT_EQ(found->priority, 3);
  EXPECT_EQ(found->result, "7");
  ASSERT_THAT(found->attempts, SizeIs(2));
  EXPECT_EQ(found->attempts[0].attempt, 1);
  EXPECT_EQ(found->attempts[0].worker, "worker-1");
  EXPECT_EQ(found->attempts[0].state, AttemptState::failed);
  EXPECT_EQ(found->attempts[0].claimed_at, noon);
  EXPECT_EQ(found->attempts[0].ended_at, noon + 1min);
  EXPECT_EQ(found->attempts[0].signal, 9);
  EXPECT_EQ(found->attempts[0].error, "it broke");
  EXPECT_EQ(found->attempts[1].attempt, 2);
  EXPECT_EQ(found->attempts[1].state, AttemptState::succeeded);
  EXPECT_EQ(found->attempts[1].launched_at, noon + 90s);
  EXPECT_EQ(found->attempts[1].exit_code, 0);
}

TEST_P(RunRecords, tell_what_an_attempt_is_called_where_it_is_performed) {
  create("nightly");
  const Seq seq = decide("nightly", starting(noon));
  const SessionId session = open_session(1h);
  const QueuedRun claimed = claim_one(session).row;
  EXPECT_EQ(record(seq).value().attempts.at(0).known_as, "");
  const std::array launches{LaunchNotice{.seq = seq, .attempt = 1, .at = now(), .known_as = "a-workflow"}};
  must(runs().heartbeat({.session = session, .launched = launches}));
  EXPECT_EQ(record(seq).value().attempts.at(0).known_as, "a-workflow");

  finish(run(seq).value(), RunState::succeeded, {.exit_code = 0});

  EXPECT_EQ(record(seq).value().attempts.at(0).known_as, "a-workflow");
  advance(1min);
  const Seq second = decide("nightly", starting(noon + 1min));
  finish(claim_one(session).row, RunState::succeeded, {.known_as = "another"});
  EXPECT_EQ(record(second).value().attempts.at(0).known_as, "another");
}

TEST_P(RunRecords, tell_of_what_waits_and_of_what_was_skipped) {
  create("nightly");
  const Seq waits = decide("nightly", waiting(noon));
  const Seq skipped = decide("nightly", skipping(noon + 1s, SkipReason::overlap).trigger("t1"));

  EXPECT_EQ(record(waits).value().outcome, DecisionOutcome::waiting);
  EXPECT_EQ(record(waits).value().run.state, RunState::waiting);
  EXPECT_EQ(record(skipped).value().outcome, DecisionOutcome::skipped);
  EXPECT_EQ(record(skipped).value().reason, SkipReason::overlap);
  EXPECT_EQ(record(skipped).value().trigger, "t1");
  EXPECT_THAT(record(skipped).value().attempts, IsEmpty());
  EXPECT_FALSE(record(no_such_run));
}

TEST_P(RunRecords, tell_of_jobs_without_a_schedule) {
  const Seq seq = enqueue_in("team", "~a");
  claim(open_session());

  const auto found = record(seq);

  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, std::nullopt);
  EXPECT_EQ(found->name_space, "team");
  EXPECT_EQ(found->trigger, "~a");
  EXPECT_EQ(found->name_space, "team");
  EXPECT_EQ(found->decided_at, noon);
  EXPECT_THAT(found->attempts, SizeIs(1));
  EXPECT_EQ(run(seq).value().name_space, "team");
}

TEST_P(RunRecords, are_listed_newest_first_without_details) {
  create("a");
  create("b");
  const Seq first = start("a");
  const Seq second = start("b");
  decide("a", waiting(noon));
  const Seq third = enqueue("~j");
  finish(claim(open_session(), 1).at(0).row, RunState::succeeded, {.result = "7"});

  const RunList list = must(query_store().list_runs({}));

  EXPECT_EQ(list.store_now, noon);
  EXPECT_THAT(seqs(list), ElementsAre(third, second, first));
  EXPECT_EQ(list.next, std::nullopt);
  EXPECT_EQ(list.items[2].run.state, RunState::succeeded);
  EXPECT_THAT(list.items[2].attempts, IsEmpty());
  EXPECT_EQ(list.items[2].result, std::nullopt);
}

TEST_P(RunRecords, are_listed_for_one_schedule_also_when_it_is_gone) {
  create("b");
  const Uid uid = create("a");
  const Seq first = start("a");
  start("b");
  const Seq skipped = decide("a", skipping(noon, SkipReason::missed));
  start("b");
  const Seq last = start("a");
  write(next("a").deletes());

  EXPECT_THAT(listed({.uid = uid}), ElementsAre(last, first));
  EXPECT_THAT(listed({.uid = uid, .with_decisions = true}), ElementsAre(last, skipped, first));
  EXPECT_THAT(listed({.name_space = "other", .uid = uid}), IsEmpty());
  EXPECT_THAT(listed({.uid = Uid{4711}}), IsEmpty());
}

TEST_P(RunRecords, are_sifted_by_state_source_queue_and_namespace) {
  create("a");
  create(key_of("a", "other"));
  const Seq trigger = decide("a", starting(noon).trigger("t").queue("fast"));
  const Seq other = write(after(view(key_of("a", "other")).state, now()).decides(starting(noon))).decisions.at(0);
  const Seq job = enqueue_in("other", "~j");
  const Seq waits = decide("a", waiting(noon));
  claim(open_session(), 10, {"fast"});

  EXPECT_THAT(listed({.states = {RunState::running}}), ElementsAre(trigger));
  EXPECT_THAT(listed({.states = {RunState::queued, RunState::failed}}), ElementsAre(job, other));
  EXPECT_THAT(listed({.states = {RunState::waiting}, .with_decisions = true}), ElementsAre(waits));
  EXPECT_THAT(listed({.sources = {Source::trigger, Source::adhoc}}), ElementsAre(job, trigger));
  EXPECT_THAT(listed({.queue = "fast"}), ElementsAre(trigger));
  EXPECT_THAT(listed({.queue = "nowhere"}), IsEmpty());
  EXPECT_THAT(listed({.name_space = "other"}), ElementsAre(job, other));
}

TEST_P(RunRecords, are_sifted_by_when_they_were_queued) {
  create("a");
  const Seq first = decide("a", starting(noon));
  const Seq waits = decide("a", waiting(noon));
  advance(1min);
  const Seq second = decide("a", starting(now()));
  write(next("a").resolves(waits, a_start(now())));
  advance(1min);
  const Seq third = decide("a", starting(now()));

  EXPECT_THAT(listed({.since = noon + 1min}), ElementsAre(third, second, waits));
  EXPECT_THAT(listed({.until = noon + 1min}), ElementsAre(first));
  EXPECT_THAT(listed({.since = noon + 1min, .until = noon + 2min}), ElementsAre(second, waits));
}

TEST_P(RunRecords, are_listed_in_pages) {
  create("a");
  const Seq first = start("a");
  decide("a", skipping(noon, SkipReason::missed));
  const Seq second = start("a");
  const Seq third = start("a");

  const RunList page = must(query_store().list_runs({.count_max = 2}));
  EXPECT_THAT(seqs(page), ElementsAre(third, second));
  ASSERT_TRUE(page.next);
  const RunList rest = must(query_store().list_runs({.before = page.next, .count_max = 2}));
  EXPECT_THAT(seqs(rest), ElementsAre(first));
  EXPECT_EQ(rest.next, std::nullopt);
}

TEST_P(RunRecords, are_looked_for_no_longer_than_allowed) {
  create("a");
  const Seq first = start("a");
  for (int i = 0; i < 10; ++i) decide("a", skipping(noon, SkipReason::missed));

  const RunList page = must(query_store().list_runs({.scan_max = 5}));
  EXPECT_THAT(page.items, IsEmpty());
  ASSERT_TRUE(page.next);

  EXPECT_THAT(seqs(must(query_store().list_runs({.before = page.next}))), ElementsAre(first));
}

TEST_P(RunRecords, are_found_by_name) {
  create("nightly");
  const Seq automatic = decide("nightly", starting(noon));
  const Seq triggered = decide("nightly", starting(noon).trigger("t1"));
  const Seq waits = decide("nightly", waiting(noon - 1min).trigger("t2"));
  write(next("nightly").has_backfill(
      {.number = 1, .id = "bf", .from = noon - 1h, .to = noon, .cursor = noon - 1h, .total = 60}));
  const Seq backfilled = decide("nightly", starting(noon - 30min).of_backfill(1));
  const Seq job = enqueue_in("team", "~abc");

  EXPECT_EQ(found("nightly@2026-03-01T12:00:00Z"), automatic);
  EXPECT_EQ(found("NIGHTLY@2026-03-01T12:00:00Z"), automatic);
  EXPECT_EQ(found("nightly@2026-03-01T12:00:00Z+trigger-t1"), triggered);
  EXPECT_EQ(found("nightly@2026-03-01T11:59:00Z+trigger-t2"), waits);
  EXPECT_EQ(found("nightly@2026-03-01T11:30:00Z+backfill-bf"), backfilled);
  EXPECT_EQ(found("~abc", "team"), job);
}

TEST_P(RunRecords, are_not_found_by_names_that_no_run_has) {
  create("nightly");
  decide("nightly", starting(noon).trigger("t1"));
  decide("nightly", skipping(noon, SkipReason::missed));
  enqueue_in("team", "~abc");

  for (const char* name : {"nightly@2026-03-01T12:00:00Z", "nightly@2026-03-01T12:00:01Z+trigger-t1",
                           "nightly@2026-03-01T12:00:00Z+trigger-t", "weekly@2026-03-01T12:00:00Z+trigger-t1", "~abc",
                           "~", "", "@", "nightly", "nightly@", "nightly@yesterday"})
    EXPECT_EQ(found(name), std::nullopt) << name;
  EXPECT_EQ(found("nightly@2026-03-01T12:00:00Z+trigger-t1", "team"), std::nullopt);
}

TEST_P(RunRecords, of_a_name_that_was_used_again_are_of_the_newest_schedule) {
  create("nightly");
  const Seq old = decide("nightly", starting(noon));
  const Seq older = decide("nightly", starting(noon - 1min));
  write(next("nightly").deletes());
  create("nightly");
  const Seq newest = decide("nightly", starting(noon));

  EXPECT_NE(old, newest);
  EXPECT_EQ(found("nightly@2026-03-01T12:00:00Z"), newest);
  EXPECT_EQ(found("nightly@2026-03-01T11:59:00Z"), older);
}

TEST_P(RunRecords, of_some_time_come_with_ranges_voids_and_changes) {
  const Uid uid = create("nightly");
  const Seq second = decide("nightly", starting(noon - 10min));
  const Seq first = decide("nightly", starting(noon - 20min).trigger("t"));
  decide("nightly", starting(noon));
  write(next("nightly").skips_range({.from = noon - 15min, .to = noon - 5min, .count = 3}));
  write(next("nightly").skips_range({.from = noon - 50min, .to = noon - 40min, .count = 3}));
  write(next("nightly").voids(noon - 10min, noon + 10min));
  advance(1h);
  write(next("nightly").edits("{}"));

  const PastDecisions past = must(query_store().read_decisions(uid, noon - 20min, noon, 10));

  ASSERT_THAT(past.rows, SizeIs(2));
  EXPECT_EQ(past.rows[0].seq, first);
  EXPECT_EQ(past.rows[1].seq, second);
  ASSERT_THAT(past.ranges, SizeIs(1));
  EXPECT_EQ(past.ranges[0].count, 3);
  EXPECT_EQ(past.ranges[0].head.schedule.text(), "nightly");
  EXPECT_THAT(past.voids, SizeIs(1));
  EXPECT_THAT(past.changes, IsEmpty());
  const PastDecisions later = must(query_store().read_decisions(uid, noon, noon + 2h, 10));
  ASSERT_THAT(later.changes, SizeIs(2));
  EXPECT_EQ(later.changes[1].kind, ChangeKind::updated);
  EXPECT_EQ(later.changes[1].document, std::nullopt);
}

TEST_P(RunRecords, of_some_time_are_found_also_if_they_were_decided_ahead_of_it) {
  const Uid uid = create("nightly");
  const Seq ahead = decide("nightly", starting(noon + 3h).trigger("t").queued_at(noon));
  advance(1h);
  decide("nightly", starting(now()));

  const PastDecisions past = must(query_store().read_decisions(uid, noon + 2h, noon + 4h, 10));

  ASSERT_THAT(past.rows, SizeIs(1));
  EXPECT_EQ(past.rows[0].seq, ahead);
  EXPECT_EQ(found("nightly@2026-03-01T15:00:00Z+trigger-t"), ahead);
}

TEST_P(RunRecords, of_some_time_are_no_more_than_asked_for_the_newest) {
  const Uid uid = create("nightly");
  decide("nightly", starting(noon - 1min));
  const Seq second = decide("nightly", starting(noon - 2min));
  const Seq third = decide("nightly", starting(noon - 3min));

  const PastDecisions past = must(query_store().read_decisions(uid, noon - 1h, noon, 2));

  ASSERT_THAT(past.rows, SizeIs(2));
  EXPECT_EQ(past.rows[0].seq, third);
  EXPECT_EQ(past.rows[1].seq, second);
}

TEST_P(RunRecords, are_found_behind_decisions_that_were_forgotten) {
  const Uid uid = create("nightly");
  const Seq first = decide("nightly", starting(noon - 2min));
  const Seq skipped = decide("nightly", skipping(noon - 1min, SkipReason::missed));
  enqueue("~between");
  const Seq last = decide("nightly", starting(noon));
  must(retention().forget_lines(std::vector{skipped}));

  EXPECT_THAT(listed({.uid = uid, .with_decisions = true}), ElementsAre(last, first));
  EXPECT_EQ(found("nightly@2026-03-01T11:58:00Z"), first);
  const RunList page = must(query_store().list_runs({.filter = {.uid = uid}, .count_max = 1}));
  EXPECT_THAT(seqs(must(query_store().list_runs({.filter = {.uid = uid}, .before = page.next}))), ElementsAre(first));
}

TEST_P(RunRecords, are_counted) {
  create("a");
  start("a");
  decide("a", starting(noon).queued_at(noon + 1h));
  enqueue("~a");
  claim(open_session(), 1);

  const Totals totals = must(query_store().read_totals());

  EXPECT_EQ(totals.schedules, 1);
  EXPECT_EQ(totals.ready, 2);
  EXPECT_EQ(totals.running, 1);
  EXPECT_EQ(totals.next_wake, std::nullopt);
}

}  // namespace
}  // namespace carillon::conformance
