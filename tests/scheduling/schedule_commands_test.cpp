#include "calendar/spec_document.hpp"
#include "document/document.hpp"
#include "scheduling/server_fixture.hpp"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <string>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::SizeIs;

using ScheduleCommands = ServerTest;

TEST_F(ScheduleCommands, an_id_exists_once_whatever_its_case) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).id("Tower").document(), "anna", request));

  const auto again = server.create(a_schedule().every(5min).id("tower").document(), "anna", request + 1);

  EXPECT_EQ(again.error().code, ErrorCode::conflict);
}

TEST_F(ScheduleCommands, a_creation_whose_answer_was_lost_is_found_not_repeated) {
  store.loses_next_answer = true;

  const auto created = server.create(a_schedule().every(5min).document(), "anna", request);

  ASSERT_TRUE(created) << created.error().message;
  EXPECT_EQ(created->state.revision, 1);
  EXPECT_THAT(ledger(), SizeIs(1));
}

TEST_F(ScheduleCommands, a_creation_that_never_arrived_is_sent_again) {
  store.loses_next_commit = true;

  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));

  EXPECT_THAT(ledger(), SizeIs(1));
}

TEST_F(ScheduleCommands, a_store_that_cannot_be_written_is_told_as_it_is_and_not_tried_again_and_again) {
  Error error = fail(ErrorCode::unavailable, "the disk is full").error();
  error.rule = "store-full";
  store.disk_error = error;

  const auto created = server.create(a_schedule().every(5min).document(), "anna", request);

  EXPECT_EQ(created.error().message, "the disk is full");
  EXPECT_EQ(created.error().rule, "store-full");
  EXPECT_LE(store.commit_count, 3);
}

TEST_F(ScheduleCommands, a_trigger_whose_answer_was_lost_starts_one_run) {
  ASSERT_TRUE(server.create(a_schedule().by_hand().document(), "anna", request));
  store.loses_next_answer = true;

  ASSERT_TRUE(server.change(key("tower"), Triggered{.by = "anna", .id = "t1"}, request + 1));

  EXPECT_THAT(decisions(), SizeIs(1));
}

TEST_F(ScheduleCommands, a_command_whose_answer_was_lost_is_answered_with_its_own_revision) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  ASSERT_EQ(server.edit(a_schedule().every(6min).document(), "anna", request + 1)->state.revision, 2);
  ASSERT_EQ(server.edit(a_schedule().every(7min).document(), "ben", request + 2)->state.revision, 3);

  const auto repeated = server.edit(a_schedule().every(6min).document(), "anna", request + 1);

  EXPECT_EQ(repeated->state.revision, 2) << "revision 3 is somebody else's";
}

TEST_F(ScheduleCommands, a_trigger_whose_answer_was_lost_is_answered_with_its_run) {
  ASSERT_TRUE(server.create(a_schedule().by_hand().document(), "anna", request));
  store.loses_next_answer = true;

  const auto changed = server.change(key("tower"), Triggered{.by = "anna", .id = "t1"}, request + 1);

  ASSERT_TRUE(changed);
  EXPECT_THAT(changed->decisions, SizeIs(1));
}

TEST_F(ScheduleCommands, a_command_that_was_executed_is_not_refused_when_it_is_repeated) {
  const auto document = a_schedule().every(5min).document();
  ASSERT_TRUE(server.create(document, "anna", request));
  ASSERT_TRUE(server.change(key("tower"), Paused{.by = "anna"}, request + 1));

  EXPECT_TRUE(server.create(document, "anna", request));
  EXPECT_TRUE(server.change(key("tower"), Paused{.by = "anna"}, request + 1));
  EXPECT_EQ(server.change(key("tower"), Paused{.by = "anna"}, request + 2).error().code, ErrorCode::invalid_argument);
}

TEST_F(ScheduleCommands, a_trigger_that_is_repeated_with_its_request_starts_one_run) {
  ASSERT_TRUE(server.create(a_schedule().by_hand().document(), "anna", request));
  ASSERT_TRUE(server.change(key("tower"), Triggered{.by = "anna", .id = "t1"}, request + 1));

  EXPECT_TRUE(server.change(key("tower"), Triggered{.by = "anna", .id = "t1"}, request + 1));

  EXPECT_THAT(decisions(), SizeIs(1));
}

TEST_F(ScheduleCommands, a_trigger_is_answered_with_what_was_decided) {
  ASSERT_TRUE(server.create(a_schedule().by_hand().document(), "anna", request));

  const auto changed = server.change(key("tower"), Triggered{.by = "anna", .id = "t1"}, request + 1);

  ASSERT_TRUE(changed);
  EXPECT_TRUE(std::holds_alternative<Starts>(changed->verdict.value()));
  EXPECT_THAT(changed->decisions, SizeIs(1));
}

TEST_F(ScheduleCommands, a_pause_that_meets_a_decision_is_decided_again_and_loses_nothing) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  clock.advance(5min);
  Scheduling other{memory, definitions, 2};
  store.before_commit = [&] { EXPECT_EQ(other.decide_due({})->written, 1U); };

  const auto paused = server.change(key("tower"), Paused{.by = "anna"}, request + 1);

  ASSERT_TRUE(paused);
  EXPECT_EQ(state_of("tower").status, ScheduleStatus::paused);
  ASSERT_THAT(decisions(), SizeIs(1));
  EXPECT_EQ(decisions()[0].reason, SkipReason::paused) << "it was queued and nobody had claimed it";
}

TEST_F(ScheduleCommands, an_edit_of_a_revision_that_is_no_more_is_refused) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  ASSERT_TRUE(server.edit(a_schedule().every(10min).document(), "anna", request + 1, 1));

  const auto stale = server.edit(a_schedule().every(1h).document(), "berta", request + 2, 1);

  EXPECT_EQ(stale.error().code, ErrorCode::conflict);
  EXPECT_EQ(state_of("tower").wake, nine + 10min);
}

TEST_F(ScheduleCommands, an_edit_of_one_that_was_deleted_and_created_again_is_refused) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  const KnownRevision known{state_of("tower")};
  ASSERT_TRUE(server.change(key("tower"), Deleted{.by = "anna"}, request + 1));
  clock.advance(1h);
  ASSERT_TRUE(server.create(a_schedule().every(10min).document(), "berta", request + 2));

  const auto stale = server.edit(a_schedule().every(30min).document(), "anna", request + 3, known);

  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().rule, "stale-revision");
  EXPECT_EQ(state_of("tower").revision, 1);
}

/// Every interval is looked at on many days, each day by every exclusion, and one minute of the day is left.
ScheduleDocument costly_schedule() {
  std::string intervals;
  for (int i = 0; i < 64; ++i) intervals += fmt::format(R"({}{{"every":"{}s"}})", i == 0 ? "" : ",", 86'000 + 7 * i);
  std::string exclude;
  for (int i = 0; i < 46; ++i)
    exclude += fmt::format(R"({{"hour":"{}","minute":"{}"}},)", i / 2, i % 2 == 0 ? "0-29" : "30-59");
  const auto spec = parse_json(fmt::format(R"({{"intervals":[{}],"exclude":[{}{{"hour":"23","minute":"0-58"}},)"
                                           R"({{"hour":"23","minute":"59","second":"1-59"}}]}})",
                                           intervals, exclude));
  ScheduleDocument document = a_schedule().every(5min).document();
  document.spec = read_spec(spec.value(), "UTC").value();
  return document;
}

TEST_F(ScheduleCommands, a_spec_that_takes_too_long_is_neither_created_nor_put_in_the_place_of_another) {
  const auto created = server.create(costly_schedule(), "anna", request);
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request + 1));
  const auto edited = server.edit(costly_schedule(), "anna", request + 2);

  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().rule, "too-complex");
  ASSERT_FALSE(edited);
  EXPECT_EQ(edited.error().rule, "too-complex");
}

TEST_F(ScheduleCommands, what_is_not_there_cannot_be_changed) {
  EXPECT_EQ(server.change(key("nobody"), Paused{.by = "anna"}, request).error().code, ErrorCode::not_found);
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  ASSERT_TRUE(server.change(key("tower"), Deleted{.by = "anna"}, request + 1));

  EXPECT_EQ(server.change(key("tower"), Paused{.by = "anna"}, request + 2).error().code, ErrorCode::not_found);
}

TEST_F(ScheduleCommands, a_schedule_added_again_within_ten_minutes_goes_on_where_it_was) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  clock.advance(5min);
  (void)look();
  ASSERT_TRUE(server.change(key("tower"), Deleted{.by = "anna"}, request + 1));
  clock.advance(6min);

  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request + 2));
  (void)look();

  ASSERT_THAT(decisions(), SizeIs(2));
  EXPECT_EQ(decisions()[1].nominal, nine + 10min) << "due while it was away";
}

TEST_F(ScheduleCommands, a_schedule_can_be_named_again_after_long_and_starts_from_new) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  ASSERT_TRUE(server.change(key("tower"), Deleted{.by = "anna"}, request + 1));
  clock.advance(11min);

  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request + 2));

  EXPECT_EQ(state_of("tower").cursor, clock.now());
}

}  // namespace
}  // namespace carillon::testing
