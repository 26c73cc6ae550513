#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

class Backfills : public StoreTest {
 protected:
  void SetUp() override { uid = create("nightly"); }
  static Backfill backfill(std::int64_t number, std::string id) {
    return {.number = number,
            .id = std::move(id),
            .from = noon - 2h,
            .to = noon - 1h,
            .order = BackfillOrder::newest_first,
            .reprocess = Reprocess::failed,
            .concurrency = 3,
            .is_exclusive = true,
            .cursor = noon - 1h,
            .done = 1,
            .total = 12,
            .started = 1};
  }
  std::vector<Backfill> open() {
    std::vector<Backfill> records;
    for (const BackfillView& found : view("nightly").backfills) records.push_back(found.record);
    return records;
  }

  Uid uid{};
};
CARILLON_RUN_FOR_EVERY_STORE(Backfills);

TEST_P(Backfills, are_handed_out_with_their_schedule_as_they_were_written) {
  write(next("nightly").has_backfill(backfill(1, "a")).wakes_at(noon));

  EXPECT_THAT(open(), ElementsAre(backfill(1, "a")));
  const auto read = read_due(10);
  ASSERT_THAT(read.views, SizeIs(1));
  ASSERT_THAT(read.views[0].backfills, SizeIs(1));
  EXPECT_EQ(read.views[0].backfills[0].record, backfill(1, "a"));
}

TEST_P(Backfills, keep_their_overlap_policy) {
  Backfill through = backfill(1, "a");
  through.is_exclusive = false;
  through.overlap = OverlapPolicy::buffer_all;
  write(next("nightly").has_backfill(through).has_backfill(backfill(2, "b")));
  EXPECT_THAT(open(), ElementsAre(through, backfill(2, "b")));
  through.overlap = OverlapPolicy::skip;
  through.done = 5;

  write(next("nightly").has_backfill(through));

  EXPECT_THAT(open(), ElementsAre(through, backfill(2, "b")));
  EXPECT_THAT(must(query_store().read_backfills(uid)), ElementsAre(backfill(2, "b"), through));
}

TEST_P(Backfills, nothing_is_known_of_their_past_yet) {
  write(next("nightly").has_backfill(backfill(1, "a")));

  const BackfillView found = view("nightly").backfills.at(0);

  EXPECT_THAT(found.past, IsEmpty());
  EXPECT_EQ(found.known_to, found.record.cursor);
}

TEST_P(Backfills, go_on_by_their_number) {
  write(next("nightly").has_backfill(backfill(1, "a")).has_backfill(backfill(2, "b")));
  Backfill later = backfill(1, "a");
  later.cursor = noon - 90min;
  later.done = 6;
  later.state = BackfillState::paused;

  write(next("nightly").has_backfill(later));

  EXPECT_THAT(open(), UnorderedElementsAre(later, backfill(2, "b")));
}

TEST_P(Backfills, that_are_over_are_not_handed_out) {
  write(next("nightly").has_backfill(backfill(1, "a")).has_backfill(backfill(2, "b")).has_backfill(backfill(3, "c")));
  Backfill completed = backfill(1, "a");
  completed.state = BackfillState::completed;
  Backfill cancelled = backfill(2, "b");
  cancelled.state = BackfillState::cancelled;

  write(next("nightly").has_backfill(completed).has_backfill(cancelled));

  EXPECT_THAT(open(), ElementsAre(backfill(3, "c")));
}

TEST_P(Backfills, belong_to_one_schedule) {
  create("other");
  write(next("nightly").has_backfill(backfill(1, "a")));

  EXPECT_THAT(view("other").backfills, IsEmpty());
}

TEST_P(Backfills, have_one_line_that_follows_them) {
  write(next("nightly").has_backfill(backfill(1, "a")));
  const BackfillLine first = lines<BackfillLine>().at(0);
  Backfill later = backfill(1, "a");
  later.done = 12;
  later.state = BackfillState::completed;
  start("nightly");

  write(next("nightly").has_backfill(later));

  const auto found = lines<BackfillLine>();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].head.seq, first.head.seq);
  EXPECT_EQ(found[0].id, "a");
  EXPECT_EQ(found[0].done, 12);
  EXPECT_EQ(found[0].state, BackfillState::completed);
}

CARILLON_CONFORMANCE_SUITE(PastRuns);

TEST_P(PastRuns, are_the_newest_started_run_of_each_occurrence_ascending) {
  const Uid uid = create("nightly");
  decide("nightly", starting(noon - 1min));
  decide("nightly", starting(noon - 2min));
  finish(claim(open_session(), 1)[0].row, RunState::failed);
  decide("nightly", starting(noon - 2min).trigger("again"));

  EXPECT_THAT(must(schedules().read_past_runs(uid, noon - 1h, noon)),
              ElementsAre(PastRun{noon - 2min, RunState::queued}, PastRun{noon - 1min, RunState::queued}));
}

TEST_P(PastRuns, show_how_the_run_stands_now) {
  const Uid uid = create("nightly");
  start("nightly");
  const QueuedRun row = claim_one(open_session()).row;
  EXPECT_THAT(must(schedules().read_past_runs(uid, noon, noon + 1s)), ElementsAre(PastRun{noon, RunState::running}));

  finish(row, RunState::timed_out);
  write(next("nightly").counts(row.seq));

  EXPECT_THAT(must(schedules().read_past_runs(uid, noon, noon + 1s)), ElementsAre(PastRun{noon, RunState::timed_out}));
}

TEST_P(PastRuns, include_the_first_moment_and_not_the_last) {
  const Uid uid = create("nightly");
  decide("nightly", starting(noon - 2min));
  decide("nightly", starting(noon - 1min));

  EXPECT_THAT(must(schedules().read_past_runs(uid, noon - 2min, noon - 1min)),
              ElementsAre(PastRun{noon - 2min, RunState::queued}));
  EXPECT_THAT(must(schedules().read_past_runs(uid, noon - 2min, noon - 2min)), IsEmpty());
}

TEST_P(PastRuns, leave_out_what_never_started) {
  const Uid uid = create("nightly");
  decide("nightly", skipping(noon - 4min, SkipReason::missed));
  decide("nightly", waiting(noon - 3min));
  const Seq withdrawn = decide("nightly", starting(noon - 2min));
  const Seq held_back = decide("nightly", starting(noon - 1min));
  write(next("nightly").orders(RunOrder::Kind::withdraw, withdrawn).orders(RunOrder::Kind::hold_back, held_back));

  EXPECT_THAT(must(schedules().read_past_runs(uid, noon - 1h, noon)), IsEmpty());
}

TEST_P(PastRuns, a_withdrawn_run_lets_the_one_before_it_show) {
  const Uid uid = create("nightly");
  start("nightly");
  finish(claim_one(open_session()).row, RunState::failed);
  const Seq again = decide("nightly", starting(noon).trigger("again"));
  write(next("nightly").orders(RunOrder::Kind::withdraw, again));

  EXPECT_THAT(must(schedules().read_past_runs(uid, noon, noon + 1s)), ElementsAre(PastRun{noon, RunState::failed}));
}

TEST_P(PastRuns, include_what_waited_first) {
  const Uid uid = create("nightly");
  const Seq seq = decide("nightly", waiting(noon));
  write(next("nightly").resolves(seq, a_start(noon)));

  EXPECT_THAT(must(schedules().read_past_runs(uid, noon, noon + 1s)), ElementsAre(PastRun{noon, RunState::queued}));
}

TEST_P(PastRuns, are_those_of_one_schedule) {
  const Uid uid = create("nightly");
  create("other");
  start("other");

  EXPECT_THAT(must(schedules().read_past_runs(uid, noon - 1h, noon + 1h)), IsEmpty());
}

}  // namespace
}  // namespace carillon::conformance
