#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

CARILLON_CONFORMANCE_SUITE(Creating);

using Outcome = WriteOutcome::Outcome;

TEST_P(Creating, gives_each_schedule_a_new_ascending_uid) {
  const Uid first = create("a");
  const Uid second = create("b");
  write(next("b").deletes());
  const Uid third = create("b");

  EXPECT_GT(first, Uid{0});
  EXPECT_GT(second, first);
  EXPECT_GT(third, second);
  EXPECT_EQ(view("a").state.uid, first);
  EXPECT_EQ(view("b").state.uid, third);
  EXPECT_EQ(view("b").state.version, 1);
}

TEST_P(Creating, may_bring_a_pause_a_start_and_a_backfill_with_it) {
  const Backfill backfill{
      .number = 1, .id = "bf-create1", .from = noon - 1h, .to = noon, .cursor = noon - 1h, .total = 60};
  TransitionBuilder creating = creation("nightly", now());
  creating.next().revision = 2;
  creating.next().status = ScheduleStatus::paused;
  creating.next().paused_at = now();
  creating.next().has_note = true;
  creating.next().backfill_count = 1;
  creating.changes({.kind = ChangeKind::paused, .revision = 2, .by = "ann", .reason = "not yet"})
      .decides(starting(noon).trigger("create"))
      .has_backfill(backfill)
      .wakes_at(noon);

  const WriteOutcome written = commit(creating);

  EXPECT_EQ(written.outcome, Outcome::written);
  const ScheduleView found = view("nightly");
  EXPECT_EQ(found.state.status, ScheduleStatus::paused);
  ASSERT_THAT(found.live, SizeIs(1));
  EXPECT_EQ(found.live[0].source, Source::trigger);
  ASSERT_THAT(found.backfills, SizeIs(1));
  EXPECT_EQ(found.backfills[0].record, backfill);
  EXPECT_THAT(seqs_of(claim(open_session())), ElementsAre(found.live[0].seq));
  EXPECT_THAT(must(schedules().read_past_runs(written.uid, noon - 1h, noon + 1h)), SizeIs(1));
}

TEST_P(Creating, is_refused_while_the_id_lives) {
  const Uid uid = create("nightly");

  EXPECT_EQ(commit(creation("nightly", now())).outcome, Outcome::refused);
  EXPECT_EQ(view("nightly").state.uid, uid);
  EXPECT_THAT(must(schedules().read_page(Uid{}, 10)).views, SizeIs(1));
}

TEST_P(Creating, is_refused_if_the_id_differs_by_case_only) {
  create("Nightly-Report");

  EXPECT_EQ(commit(creation("nightly-rEPORT", now())).outcome, Outcome::refused);
}

TEST_P(Creating, of_one_id_twice_in_a_batch_succeeds_once) {
  const std::vector<Transition> batch{creation("nightly", now()).transition(), creation("NIGHTLY", now()).transition()};

  const CommitResult committed = commit(batch);

  EXPECT_EQ(committed.items.at(0).outcome, Outcome::written);
  EXPECT_EQ(committed.items.at(1).outcome, Outcome::refused);
}

TEST_P(Creating, namespaces_do_not_share_ids) {
  const Uid ours = create(key_of("nightly", "ours"));
  const Uid theirs = create(key_of("nightly", "theirs"));

  EXPECT_NE(ours, theirs);
  EXPECT_EQ(view(key_of("nightly", "ours")).state.uid, ours);
  EXPECT_EQ(view(key_of("nightly", "theirs")).state.uid, theirs);
}

TEST_P(Creating, may_decide_at_once) {
  const WriteOutcome written = write(creation("nightly", now()).decides(starting(noon)).wakes_at(noon + 1h));

  ASSERT_THAT(written.decisions, SizeIs(1));
  EXPECT_EQ(run(written.decisions[0]).value().uid, written.uid);
  EXPECT_THAT(view("nightly").live, SizeIs(1));
}

CARILLON_CONFORMANCE_SUITE(Finding);

TEST_P(Finding, nothing_is_found_under_an_unknown_id) {
  create("nightly");

  EXPECT_EQ(must(schedules().find(key_of("nightl"))).view.has_value(), false);
  EXPECT_EQ(must(schedules().find(key_of("nightly", "elsewhere"))).view.has_value(), false);
}

TEST_P(Finding, does_not_look_at_case) {
  const Uid uid = create("Nightly");

  EXPECT_EQ(view("nIGHTLY").state.uid, uid);
}

TEST_P(Finding, a_deleted_schedule_is_found_as_a_tombstone) {
  const Uid uid = create("nightly");
  write(next("nightly").cursor(noon - 5min).deletes());

  const ScheduleState tombstone = view("nightly").state;

  EXPECT_EQ(tombstone.uid, uid);
  EXPECT_EQ(tombstone.deleted_at, noon);
  EXPECT_EQ(tombstone.cursor, noon - 5min);
}

TEST_P(Finding, the_newest_of_several_tombstones_is_found) {
  create("nightly");
  write(next("nightly").deletes());
  advance(1min);
  const Uid second = create("Nightly");
  advance(1min);
  write(next("nightly").deletes());

  EXPECT_EQ(view("nightly").state.uid, second);
  EXPECT_EQ(view("nightly").state.deleted_at, noon + 2min);
}

TEST_P(Finding, a_living_schedule_hides_the_tombstones_of_its_id) {
  create("nightly");
  write(next("nightly").deletes());
  const Uid living = create("nightly");

  EXPECT_EQ(view("nightly").state.uid, living);
  EXPECT_EQ(view("nightly").state.deleted_at, std::nullopt);
}

TEST_P(Finding, what_is_left_of_a_deleted_schedule_stays_with_the_tombstone) {
  create("nightly");
  const Seq old_run = start("nightly");
  write(next("nightly").deletes());
  create("nightly");

  EXPECT_THAT(view("nightly").live, IsEmpty());
  EXPECT_TRUE(run(old_run).has_value());
}

CARILLON_CONFORMANCE_SUITE(Paging);

TEST_P(Paging, goes_over_all_living_schedules_by_uid) {
  std::vector<Uid> created;
  for (const char* id : {"e", "b", "d", "a", "c"}) created.push_back(create(id));
  write(next("d").deletes());
  created.erase(created.begin() + 2);

  std::vector<Uid> read;
  Uid after{};
  while (true) {
    const ScheduleScanPage page = must(schedules().read_page(after, 2));
    if (page.views.empty()) break;
    EXPECT_LE(page.views.size(), 2);
    for (const ScheduleView& found : page.views) read.push_back(found.state.uid);
    after = read.back();
    ASSERT_LE(read.size(), created.size());
  }

  EXPECT_EQ(read, created);
}

TEST_P(Paging, hands_out_whole_views) {
  const Uid uid = create("nightly");
  const Seq seq = start("nightly");

  const ScheduleScanPage page = must(schedules().read_page(Uid{}, 10));

  ASSERT_THAT(page.views, SizeIs(1));
  EXPECT_EQ(page.views[0].state.uid, uid);
  ASSERT_THAT(page.views[0].live, SizeIs(1));
  EXPECT_EQ(page.views[0].live[0].seq, seq);
}

}  // namespace
}  // namespace carillon::conformance
