#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

class ScheduleRecords : public StoreTest {
 protected:
  Uid create_with(const ScheduleKey& key, const std::string& document) {
    return write(creation(key, now(), document)).uid;
  }
  std::optional<ScheduleRecord> record(std::string_view id) { return must(query_store().read_schedule(key_of(id))); }
  std::vector<std::string> listed(const ScheduleFilter& filter) {
    return ids_of(must(query_store().list_schedules({.filter = filter, .count_max = 100})));
  }
  static std::vector<std::string> ids_of(const ScheduleList& list) {
    std::vector<std::string> ids;
    for (const ScheduleRecord& one : list.items) ids.push_back(one.key.id.text());
    return ids;
  }
  TransitionBuilder pausing(std::string_view id, std::string reason) {
    TransitionBuilder builder = next(id);
    builder.next().status = ScheduleStatus::paused;
    builder.next().paused_at = now();
    return builder.changes({.kind = ChangeKind::paused, .revision = 2, .by = "bob", .reason = std::move(reason)});
  }
};
CARILLON_RUN_FOR_EVERY_STORE(ScheduleRecords);

TEST_P(ScheduleRecords, tell_all_that_is_known_of_a_schedule) {
  const Uid uid = create_with(key_of("Nightly"), R"({"a":1})");
  const Seq seq = start("nightly");

  const auto found = record("nightly");

  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, key_of("Nightly"));
  EXPECT_EQ(found->document, R"({"a":1})");
  EXPECT_EQ(found->created_at, noon);
  EXPECT_EQ(found->updated_at, noon);
  EXPECT_EQ(found->owner, "ann");
  EXPECT_EQ(found->view.state, view("nightly").state);
  ASSERT_THAT(found->view.live, SizeIs(1));
  EXPECT_EQ(found->view.live[0].seq, seq);
  EXPECT_FALSE(found->pause);
  EXPECT_FALSE(found->quarantine);
  EXPECT_EQ(must(query_store().read_schedule(uid)).value().key, key_of("Nightly"));
}

TEST_P(ScheduleRecords, have_the_document_in_force_and_the_time_of_the_newest_change) {
  create_with(key_of("nightly"), R"({"a":1})");
  advance(1min);
  write(next("nightly").edits(R"({"a":2})"));
  advance(1min);
  start("nightly");

  EXPECT_EQ(record("nightly").value().document, R"({"a":2})");
  EXPECT_EQ(record("nightly").value().updated_at, noon + 1min);
  EXPECT_EQ(record("nightly").value().created_at, noon);
}

TEST_P(ScheduleRecords, say_who_paused_a_schedule_and_why_as_long_as_it_is_paused) {
  create("nightly");
  write(pausing("nightly", "first"));
  TransitionBuilder resuming = next("nightly");
  resuming.next().status = ScheduleStatus::active;
  resuming.next().paused_at.reset();
  write(resuming.changes({.kind = ChangeKind::resumed, .revision = 3, .by = "ann"}));
  EXPECT_FALSE(record("nightly").value().pause);

  write(pausing("nightly", "second"));
  write(next("nightly").edits("{}"));

  const auto pause = record("nightly").value().pause;
  ASSERT_TRUE(pause);
  EXPECT_EQ(pause->reason, "second");
  EXPECT_EQ(pause->by, "bob");
}

TEST_P(ScheduleRecords, are_listed_by_the_conditions_of_a_search) {
  using Field = FilterCondition::Field;
  using Match = FilterCondition::Match;
  create_with(key_of("etl-a"), R"({"name":"Load A","labels":{"team":"data"},"spec":{"timezone":"Europe/Oslo"},)"
                               R"("action":{"job":{}}})");
  create_with(key_of("etl-b"), R"({"name":"Load B","labels":{"team":"web"},"spec":{"timezone":"UTC"},)"
                               R"("action":{"command":{}}})");
  create_with(key_of("mail"), R"({"name":"Mail","labels":{},"spec":{"timezone":"europe/oslo"},"action":{"job":{}}})");
  const auto by = [&](FilterCondition condition) { return listed({.conditions = {std::move(condition)}}); };

  EXPECT_THAT(by({.field = Field::text, .values = {"LOAD"}}), ElementsAre("etl-a", "etl-b"));
  EXPECT_THAT(by({.field = Field::text, .values = {"load"}, .is_negated = true}), ElementsAre("mail"));
  EXPECT_THAT(by({.field = Field::id, .match = Match::pattern, .values = {"*-b"}}), ElementsAre("etl-b"));
  EXPECT_THAT(by({.field = Field::name, .match = Match::equals, .values = {"mail", "load a"}}),
              ElementsAre("etl-a", "mail"));
  EXPECT_THAT(by({.field = Field::kind, .match = Match::equals, .values = {"job"}}), ElementsAre("etl-a", "mail"));
  EXPECT_THAT(by({.field = Field::label, .key = "team"}), ElementsAre("etl-a", "etl-b"));
  EXPECT_THAT(by({.field = Field::label, .match = Match::equals, .key = "team", .values = {"web"}}),
              ElementsAre("etl-b"));
  EXPECT_THAT(by({.field = Field::state, .match = Match::equals, .values = {"paused"}}), IsEmpty());
  EXPECT_THAT(by({.field = Field::timezone, .match = Match::pattern, .values = {"Europe/*"}}),
              ElementsAre("etl-a", "mail"));
  write(next("mail").edits(R"({"name":"Mail","spec":{"timezone":"UTC"}})"));
  EXPECT_THAT(by({.field = Field::timezone, .match = Match::equals, .values = {"UTC"}}), ElementsAre("etl-b", "mail"));
}

TEST_P(ScheduleRecords, have_the_changes_by_users_as_revisions_newest_first) {
  const Uid uid = create_with(key_of("nightly"), R"({"a":1})");
  advance(1min);
  TransitionBuilder pause = pausing("nightly", "holidays");
  pause.next().revision = 2;
  write(pause);
  advance(1min);
  write(next("nightly").edits(R"({"a":2})"));
  create("other");
  const auto revisions = [&](RevisionListRequest request) {
    std::vector<std::int64_t> numbers;
    for (const ChangeLine& line : must(query_store().read_revisions(uid, request))) numbers.push_back(line.revision);
    return numbers;
  };

  const auto all = must(query_store().read_revisions(uid, {}));

  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].kind, ChangeKind::updated);
  EXPECT_EQ(all[1].kind, ChangeKind::paused);
  EXPECT_EQ(all[1].by, "bob");
  EXPECT_EQ(all[1].reason, "holidays");
  EXPECT_EQ(all[1].head.at, noon + 1min);
  EXPECT_EQ(all[2].kind, ChangeKind::created);
  EXPECT_FALSE(all[2].document);
  EXPECT_THAT(revisions({.before = all[0].revision}), ElementsAre(all[1].revision, 1));
  EXPECT_THAT(revisions({.definitions_only = true}), ElementsAre(all[0].revision, 1));
  EXPECT_THAT(revisions({.count_max = 1}), ElementsAre(all[0].revision));
  EXPECT_THAT(must(query_store().read_revisions(Uid{4711}, {})), IsEmpty());
}

TEST_P(ScheduleRecords, tell_the_newest_note_since_the_definition_was_written) {
  create("nightly");
  TransitionBuilder noting = pausing("nightly", "disk full");
  noting.next().has_note = true;
  write(noting);
  EXPECT_EQ(record("nightly").value().note, "disk full");
  TransitionBuilder resuming = next("nightly");
  resuming.next().status = ScheduleStatus::active;
  resuming.next().paused_at.reset();
  write(resuming.changes({.kind = ChangeKind::resumed, .revision = 3, .by = "ann", .reason = "all is well"}));
  EXPECT_EQ(record("nightly").value().note, "all is well");
  TransitionBuilder editing = next("nightly");
  editing.next().has_note = false;

  write(editing.edits("{}"));

  EXPECT_EQ(record("nightly").value().note, std::nullopt);
}

TEST_P(ScheduleRecords, say_why_a_schedule_is_set_aside) {
  const Uid uid = create("nightly");
  must(schedules().quarantine(uid, 1, "its zone is unknown", noon + 1min));

  EXPECT_EQ(record("nightly").value().quarantine, "its zone is unknown");
}

TEST_P(ScheduleRecords, end_with_the_schedule) {
  const Uid uid = create("nightly");
  write(next("nightly").deletes());

  EXPECT_FALSE(record("nightly"));
  EXPECT_FALSE(must(query_store().read_schedule(uid)));
  EXPECT_THAT(listed({}), IsEmpty());
  EXPECT_EQ(must(query_store().read_totals()).schedules, 0);
}

TEST_P(ScheduleRecords, are_of_the_living_one_if_an_id_is_used_again) {
  const Uid dead = create_with(key_of("nightly"), R"({"name":"Old"})");
  write(next("nightly").deletes());
  advance(1min);
  const Uid living = create_with(key_of("NIGHTLY"), R"({"name":"New"})");

  EXPECT_EQ(record("nightly").value().view.state.uid, living);
  EXPECT_EQ(record("nightly").value().created_at, noon + 1min);
  EXPECT_FALSE(must(query_store().read_schedule(dead)));
  EXPECT_THAT(listed({}), ElementsAre("NIGHTLY"));
  EXPECT_THAT(listed({.text = "old"}), IsEmpty());
  EXPECT_THAT(listed({.text = "new"}), ElementsAre("NIGHTLY"));
}

TEST_P(ScheduleRecords, of_what_never_was_are_none) {
  EXPECT_FALSE(record("nightly"));
  EXPECT_FALSE(must(query_store().read_schedule(Uid{4711})));
  EXPECT_THAT(must(query_store().read_backfills(Uid{4711})), IsEmpty());
  EXPECT_THAT(must(query_store().read_decisions(Uid{4711}, noon, noon + 1h, 10)).rows, IsEmpty());
}

TEST_P(ScheduleRecords, are_listed_by_namespace_and_id_without_case) {
  for (const char* id : {"b", "a", "C"}) create(key_of(id, "left"));
  create(key_of("a", "Above"));

  EXPECT_THAT(listed({}), ElementsAre("a", "a", "b", "C"));
  EXPECT_THAT(listed({.name_space = "left"}), ElementsAre("a", "b", "C"));
  EXPECT_THAT(listed({.name_space = "nowhere"}), IsEmpty());
}

TEST_P(ScheduleRecords, are_listed_in_pages_with_a_total) {
  for (const char* id : {"d", "B", "a", "c", "e"}) create(id);

  const ScheduleList first = must(query_store().list_schedules({.count_max = 2}));
  EXPECT_THAT(ids_of(first), ElementsAre("a", "B"));
  EXPECT_EQ(first.total, 5);
  EXPECT_TRUE(first.has_more);

  const ScheduleList second = must(query_store().list_schedules({.after = first.items.back().key, .count_max = 3}));
  EXPECT_THAT(ids_of(second), ElementsAre("c", "d", "e"));
  EXPECT_EQ(second.total, 5);
  EXPECT_FALSE(second.has_more);

  EXPECT_THAT(ids_of(must(query_store().list_schedules({.offset = 3, .count_max = 10}))), ElementsAre("d", "e"));
  EXPECT_THAT(ids_of(must(query_store().list_schedules({.after = key_of("bb"), .offset = 1, .count_max = 1}))),
              ElementsAre("d"));
  EXPECT_TRUE(must(query_store().list_schedules({.count_max = 0})).has_more);
}

TEST_P(ScheduleRecords, are_listed_with_their_newest_runs_if_asked_for) {
  create("a");
  create("b");
  create("idle");
  const Seq oldest = start("a");
  finish(claim_one(open_session(1h)).row, RunState::failed, {.launched_at = now(), .error = "it broke", .result = "7"});
  const Seq of_b = start("b");
  decide("a", skipping(noon + 1s, SkipReason::overlap));
  const Seq middle = start("a");
  const Seq newest = start("a");

  const ScheduleList none = must(query_store().list_schedules({.count_max = 3}));
  const ScheduleList two = must(query_store().list_schedules({.count_max = 3, .recent_count_max = 2}));
  const ScheduleList all = must(query_store().list_schedules({.count_max = 3, .recent_count_max = 10}));

  const auto recent = [](const ScheduleRecord& record) {
    std::vector<Seq> seqs;
    for (const RunRecordRow& run : record.recent) seqs.push_back(run.seq);
    return seqs;
  };
  EXPECT_THAT(none.items[0].recent, IsEmpty());
  EXPECT_THAT(recent(two.items[0]), ElementsAre(newest, middle));
  EXPECT_THAT(recent(two.items[1]), ElementsAre(of_b));
  EXPECT_THAT(two.items[2].recent, IsEmpty());
  EXPECT_THAT(recent(all.items[0]), ElementsAre(newest, middle, oldest)) << "what was skipped is no run";
  ASSERT_THAT(all.items[0].recent[2].attempts, SizeIs(1));
  EXPECT_EQ(all.items[0].recent[2].attempts[0].error, "it broke");
  EXPECT_EQ(all.items[0].recent[2].result, std::nullopt) << "results may be large";
  EXPECT_EQ(all.items[0].recent[2].key, key_of("a"));
}

TEST_P(ScheduleRecords, of_one_namespace_go_on_after_a_key_wherever_it_is) {
  for (const char* id : {"a", "b", "c"}) create(key_of(id, "middle"));
  const auto listed_after = [&](const ScheduleKey& key) {
    return ids_of(must(query_store().list_schedules({.filter = {.name_space = "middle"}, .after = key})));
  };

  EXPECT_THAT(listed_after(key_of("A", "middle")), ElementsAre("b", "c"));
  EXPECT_THAT(listed_after(key_of("z", "left")), ElementsAre("a", "b", "c"));
  EXPECT_THAT(listed_after(key_of("a", "right")), IsEmpty());
}

TEST_P(ScheduleRecords, are_sifted_by_status) {
  create("active");
  create("paused");
  write(pausing("paused", "x"));
  create("done");
  TransitionBuilder ending = next("done");
  ending.next().status = ScheduleStatus::done;
  write(ending);

  EXPECT_THAT(listed({.statuses = {ScheduleStatus::active}}), ElementsAre("active"));
  EXPECT_THAT(listed({.statuses = {ScheduleStatus::paused, ScheduleStatus::done}}), ElementsAre("done", "paused"));
  EXPECT_THAT(listed({.statuses = {ScheduleStatus::dead}}), IsEmpty());
}

TEST_P(ScheduleRecords, are_sifted_by_labels) {
  create_with(key_of("a"), R"({"labels":{"team":"data","tier":"1"}})");
  create_with(key_of("b"), R"({"labels":{"team":"data\"x","tier":"2"}})");
  create_with(key_of("c"), R"({"labels":{"tier":"team"}})");
  create_with(key_of("d"), R"({"labels":{"dreamteam":"data"}})");

  EXPECT_THAT(listed({.labels = {{"team", "data"}}}), ElementsAre("a"));
  EXPECT_THAT(listed({.labels = {{.key = "team"}}}), ElementsAre("a", "b"));
  EXPECT_THAT(listed({.labels = {{"team", ""}}}), ElementsAre()) << "an empty value is not any value";
  EXPECT_THAT(listed({.labels = {{"team", "data\"x"}, {"tier", "2"}}}), ElementsAre("b"));
  EXPECT_THAT(listed({.labels = {{"team", "data"}, {"tier", "2"}}}), IsEmpty());
}

TEST_P(ScheduleRecords, are_sifted_by_what_they_do) {
  create_with(key_of("a"), R"({"action":{"command":{"argv":["job"]}}})");
  create_with(key_of("b"), R"({"action":{"job":{"payload":{"workflowId":"w-1"}}}})");
  create_with(key_of("c"), R"({"action":{"job":{"payload":{"workflowId":7}}}})");
  create_with(key_of("d"), "no document at all");

  EXPECT_THAT(listed({.action = "job"}), ElementsAre("b", "c"));
  EXPECT_THAT(listed({.action = "command"}), ElementsAre("a"));
  EXPECT_THAT(listed({.workflow = R"("w-1")"}), ElementsAre("b"));
  EXPECT_THAT(listed({.workflow = "w-1"}), ElementsAre("b")) << "as it stands in an address";
  EXPECT_THAT(listed({.workflow = "7"}), ElementsAre("c"));
}

TEST_P(ScheduleRecords, are_sifted_by_a_part_of_id_or_name_without_case) {
  create_with(key_of("etl-1"), R"({"name":"Nightly load"})");
  create_with(key_of("Report"), R"({"name":"Weekly"})");

  EXPECT_THAT(listed({.text = "NIGHT"}), ElementsAre("etl-1"));
  EXPECT_THAT(listed({.text = "re"}), ElementsAre("Report"));
  EXPECT_THAT(listed({.text = "l"}), ElementsAre("etl-1", "Report"));
  write(next("report").edits(R"({"name":"Daily"})"));
  EXPECT_THAT(listed({.text = "week"}), IsEmpty());
}

TEST_P(ScheduleRecords, are_sifted_by_when_they_wake) {
  write(creation("soon", noon).wakes_at(noon + 1min));
  write(creation("later", noon).wakes_at(noon + 1h));
  create("never");

  EXPECT_THAT(listed({.next_before = noon + 1min}), IsEmpty());
  EXPECT_THAT(listed({.next_before = noon + 2min}), ElementsAre("soon"));
  EXPECT_THAT(listed({.next_before = noon + 2h}), ElementsAre("later", "soon"));
}

TEST_P(ScheduleRecords, are_counted_and_paged_after_they_were_sifted) {
  for (const char* id : {"a1", "b", "a2", "a3"}) create(id);

  const ScheduleList page =
      must(query_store().list_schedules({.filter = {.text = "a"}, .after = key_of("A1"), .count_max = 1}));

  EXPECT_THAT(ids_of(page), ElementsAre("a2"));
  EXPECT_EQ(page.total, 3);
  EXPECT_TRUE(page.has_more);
}

TEST_P(ScheduleRecords, can_be_read_by_when_they_wake) {
  write(creation("b", noon).wakes_at(noon + 1min));
  write(creation("a", noon).wakes_at(noon + 2min));
  write(creation(key_of("c", "other"), noon).wakes_at(noon));
  write(creation("d", noon).wakes_at(noon + 1h));

  const auto ids = [](const std::vector<ScheduleRecord>& records) {
    std::vector<std::string> found;
    for (const ScheduleRecord& one : records) found.push_back(one.key.id.text());
    return found;
  };
  EXPECT_THAT(ids(must(query_store().read_waking(std::nullopt, noon + 1h, 10))), ElementsAre("c", "b", "a"));
  EXPECT_THAT(ids(must(query_store().read_waking("default", noon + 2h, 2))), ElementsAre("b", "a"));
  EXPECT_EQ(must(query_store().read_totals()).next_wake, noon);
}

TEST_P(ScheduleRecords, go_with_all_their_backfills_newest_first) {
  const Uid uid = create("nightly");
  const Backfill done{.number = 1,
                      .id = "one",
                      .from = noon - 2h,
                      .to = noon - 1h,
                      .state = BackfillState::completed,
                      .cursor = noon - 1h,
                      .done = 60,
                      .total = 60};
  const Backfill open{.number = 2, .id = "two", .from = noon - 1h, .to = noon, .cursor = noon - 1h, .total = 60};
  write(next("nightly").has_backfill(done));
  write(next("nightly").has_backfill(open));
  write(next("nightly").deletes());

  EXPECT_THAT(must(query_store().read_backfills(uid)), ElementsAre(open, done));
}

TEST_P(ScheduleRecords, backfills_of_all_of_them_are_listed_newest_first) {
  const auto a_backfill = [](std::int64_t number, std::string id, BackfillState state) {
    return Backfill{.number = number,
                    .id = std::move(id),
                    .from = noon - 2h,
                    .to = noon - 1h,
                    .state = state,
                    .cursor = noon - 2h,
                    .total = 60};
  };
  const Backfill first = a_backfill(1, "first", BackfillState::running);
  const Backfill second = a_backfill(1, "second", BackfillState::completed);
  const Backfill third = a_backfill(2, "third", BackfillState::paused);
  create("nightly");
  create(key_of("hourly", "other"));
  create("gone");
  write(next("nightly").has_backfill(first));
  write(after(view(key_of("hourly", "other")).state, now()).has_backfill(second));
  write(next("gone").has_backfill(first));
  write(next("gone").deletes());
  write(next("nightly").has_backfill(third));
  // Progress does not make it newer.
  Backfill ahead = first;
  ahead.done = 30;
  write(next("nightly").has_backfill(ahead));

  const auto listed = [&](const BackfillListRequest& request) {
    std::vector<std::string> found;
    for (const BackfillRecord& one : must(query_store().list_backfills(request)).items)
      found.push_back(one.key.id.text() + "/" + one.backfill.id);
    return found;
  };
  EXPECT_THAT(listed({}), ElementsAre("nightly/third", "hourly/second", "nightly/first"));
  EXPECT_THAT(listed({.is_open_only = true}), ElementsAre("nightly/third", "nightly/first"));
  EXPECT_THAT(listed({.name_space = "other"}), ElementsAre("hourly/second"));
  EXPECT_THAT(listed({.name_space = "nowhere"}), IsEmpty());
  const BackfillList page = must(query_store().list_backfills({.count_max = 2}));
  EXPECT_THAT(page.items, SizeIs(2));
  EXPECT_EQ(page.items[0].backfill, third);
  const BackfillList rest = must(query_store().list_backfills({.before = page.next, .count_max = 2}));
  ASSERT_THAT(rest.items, SizeIs(1));
  EXPECT_EQ(rest.items[0].backfill, ahead);
  EXPECT_FALSE(rest.next);
}

}  // namespace
}  // namespace carillon::conformance
