#include "service/service_fixture.hpp"
#include "simulation/passing_store.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::string_view bell = R"({"id":"bell","every":"1h","jobType":"ring"})";

class SchedulesTest : public testing::ServiceTest {};

TEST_F(SchedulesTest, are_found_under_the_name_they_were_given) {
  create(bell);

  const ScheduleAnswer found = must(schedules_.get(admin(), {.id = "BELL"}));

  EXPECT_EQ(found.record.key.id.text(), "bell");
  EXPECT_EQ(found.record.view.state.revision, 1);
  EXPECT_EQ(found.next->nominal, clock_.now() + 1h);
  EXPECT_EQ(found.upcoming.size(), 10U);
}

TEST_F(SchedulesTest, without_an_id_are_called_by_their_name_and_numbered) {
  EXPECT_EQ(create(R"({"name":"Big Ben","every":"1h","jobType":"ring"})").record.key.id.text(), "big-ben");
  EXPECT_EQ(create(R"({"name":"Big Ben","every":"1h","jobType":"ring"})").record.key.id.text(), "big-ben-2");
  EXPECT_EQ(create(R"({"name":"Big Ben","every":"1h","jobType":"ring"})").record.key.id.text(), "big-ben-3");
}

TEST_F(SchedulesTest, keep_what_clients_of_temporal_said_when_others_replace_them) {
  create(R"({"id":"bell","every":"1h","jobType":"ring","temporal":{"id":"b/ell"}})");

  must(schedules_.put(admin(), {.id = "bell"}, json(R"({"every":"2h","jobType":"ring"})"), {}));

  EXPECT_EQ(json(must(schedules_.find(admin(), {.id = "bell"})).document).at("temporal").at("id"), "b/ell");
}

TEST_F(SchedulesTest, are_noted_at_without_a_right_to_define_them) {
  create(R"({"id":"bell","every":"1h","command":["true"]})");
  Caller caller = admin();
  caller.role = Role::operator_;

  must(schedules_.note(caller, {.id = "bell"}, "rope is worn", {}));

  const ScheduleRecord record = must(schedules_.find(admin(), {.id = "bell"}));
  EXPECT_EQ(json(record.document).at("notes"), "rope is worn");
  EXPECT_EQ(json(record.document).at("action").at("command").at("argv").at(0), "true");
}

TEST_F(SchedulesTest, match_times_behind_the_first_and_up_to_the_second_whatever_their_status) {
  create(R"({"id":"bell","spec":{"intervals":[{"every":"1h","anchor":"epoch"}]},"jobType":"ring","enabled":false})");
  const Instant ten = parse_instant("2026-11-02T10:00:00Z").value();

  const auto times = must(queries_.matching_times(admin(), {.id = "bell"}, ten, ten + 2h, 10));

  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times.front().due, ten + 1h);
  EXPECT_EQ(times.back().due, ten + 2h);
  EXPECT_EQ(must(queries_.matching_times(admin(), {.id = "bell"}, ten, ten + 48h, 10)).size(), 10U);
}

TEST_F(SchedulesTest, with_an_id_that_is_taken_are_refused) {
  create(bell);

  const auto second = schedules_.create(admin(), json(bell), {});

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, Refusal::Kind::exists);
}

TEST_F(SchedulesTest, tell_all_their_faults_at_once) {
  const auto made = schedules_.create(admin(), json(R"({"id":"x","cron":"61 * * * *","jobType":"","colour":1})"), {});

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Refusal::Kind::invalid);
  EXPECT_GE(made.error().errors.size(), 3U);
}

TEST_F(SchedulesTest, in_a_zone_that_does_not_exist_are_refused) {
  const auto made =
      schedules_.create(admin(), json(R"({"id":"x","cron":"0 9 * * *","timezone":"EST","jobType":"ring"})"), {});

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Refusal::Kind::invalid);
}

TEST_F(SchedulesTest, are_changed_only_from_the_revision_the_caller_knows) {
  const auto from = [](const ScheduleAnswer& known) {
    return WriteTerms{.when = {.any_of = std::vector{revision_tag(known.record.view.state)}}};
  };
  const auto first = create(bell);
  const auto second = must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"description":"one"})"), from(first)));

  const auto stale = schedules_.patch(admin(), {.id = "bell"}, json(R"({"description":"two"})"), from(first));
  const auto fresh = schedules_.patch(admin(), {.id = "bell"}, json(R"({"description":"two"})"), from(second));

  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().kind, Refusal::Kind::stale);
  EXPECT_EQ(must(fresh).record.view.state.revision, 3);
}

TEST_F(SchedulesTest, are_not_put_over_a_change_that_came_in_between) {
  create(R"({"id":"bell","every":"5m","jobType":"ring"})");
  bool has_come = false;
  // Asked when the edit has been read and is not written yet.
  ScheduleCommands commands{
      store_, store_, definitions_, [] {},
      [&](Instant) -> Result<> {
        if (!std::exchange(has_come, true))
          must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"description":"theirs"})"), {}));
        return {};
      }};
  const ServiceParts parts = parts_with(commands, definitions_, zones_);
  Schedules schedules{parts};

  const auto changed = schedules.patch(admin(), {.id = "bell"}, json(R"({"description":"ours"})"), {});

  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().kind, Refusal::Kind::stale);
}

/// Calls back when a change is written and has not been answered yet.
class ToldCommits final : public simulation::PassingStore {
 public:
  ToldCommits(simulation::Ports below, std::function<void()> on_commit)
      : PassingStore{below}, on_commit_{std::move(on_commit)} {}

  Result<CommitResult> commit(const Batch& batch) override {
    auto committed = PassingStore::commit(batch);
    on_commit_();
    return committed;
  }

 private:
  std::function<void()> on_commit_;
};

TEST_F(SchedulesTest, are_answered_with_the_revision_that_the_caller_made) {
  create(R"({"id":"bell","every":"5m","jobType":"ring"})");
  bool has_come = false;
  ToldCommits store{simulation::Ports{store_, store_}, [&] {
                      if (!std::exchange(has_come, true))
                        must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"description":"theirs"})"), {}));
                    }};
  ScheduleCommands commands{store, store, definitions_, [] {}};
  const ServiceParts parts = parts_with(commands, definitions_, zones_);
  Schedules schedules{parts};

  const auto answer = must(schedules.patch(admin(), {.id = "bell"}, json(R"({"description":"ours"})"), {}));

  EXPECT_TRUE(has_come);
  EXPECT_EQ(answer.record.view.state.revision, 2);
  EXPECT_THAT(answer.record.document, ::testing::HasSubstr("ours"));
}

TEST_F(SchedulesTest, are_put_where_there_was_none_and_replaced_where_there_was) {
  EXPECT_TRUE(must(schedules_.put(admin(), {.id = "bell"}, json(R"({"every":"1h","jobType":"ring"})"), {})).is_new);
  EXPECT_FALSE(must(schedules_.put(admin(), {.id = "bell"}, json(R"({"every":"2h","jobType":"ring"})"), {})).is_new);
  const auto other = schedules_.put(admin(), {.id = "bell"}, json(R"({"id":"gong","every":"2h","jobType":"x"})"), {});

  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().errors.front().pointer, "/id");
}

TEST_F(SchedulesTest, may_be_sent_back_as_they_were_answered) {
  create(bell);

  const auto put =
      schedules_.put(admin(), {.id = "bell"},
                     json(R"({"every":"2h","jobType":"ring","status":"dead","revision":99,"runCount":7})"), {});

  EXPECT_EQ(must(put).answer.record.view.state.revision, 2);
  EXPECT_EQ(must(schedules_.get(admin(), {.id = "bell"})).record.view.state.status, ScheduleStatus::active);
}

TEST_F(SchedulesTest, told_the_same_again_stay_as_they_are) {
  create(bell);

  const auto again = must(schedules_.put(admin(), {.id = "bell"}, json(bell), {}));
  must(schedules_.disable(admin(), {.id = "bell"}, {}));
  const auto enabled = must(schedules_.put(admin(), {.id = "bell"}, json(bell), {}));

  EXPECT_EQ(again.answer.record.view.state.revision, 1);
  EXPECT_EQ(enabled.answer.record.view.state.status, ScheduleStatus::active) << "the document says enabled";
}

TEST_F(SchedulesTest, stay_disabled_when_something_else_is_patched) {
  create(bell);
  must(schedules_.disable(admin(), {.id = "bell"}, {}));

  const auto patched = must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"description":"x"})"), {}));

  EXPECT_EQ(patched.record.view.state.status, ScheduleStatus::disabled);
}

TEST_F(SchedulesTest, are_not_touched_by_a_dry_run) {
  const auto drafted = must(schedules_.create(admin(), json(bell), {.is_dry_run = true}));

  EXPECT_EQ(drafted.next->nominal, clock_.now() + 1h);
  EXPECT_EQ(schedules_.get(admin(), {.id = "bell"}).error().kind, Refusal::Kind::not_found);
}

TEST_F(SchedulesTest, are_shown_by_a_dry_run_as_the_edit_would_leave_them) {
  must(schedules_.create(admin(), json(bell), {}));

  const auto off = must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"enabled": false})"), {.is_dry_run = true}));
  EXPECT_EQ(off.record.view.state.status, ScheduleStatus::disabled);
  must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"enabled": false})"), {}));
  const auto on = must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"enabled": true})"), {.is_dry_run = true}));
  EXPECT_EQ(on.record.view.state.status, ScheduleStatus::active);
}

TEST_F(SchedulesTest, of_another_namespace_do_not_exist) {
  must(schedules_.create(bound_to("red"), json(bell), {}));
  const Caller blue = bound_to("blue");

  EXPECT_EQ(schedules_.get(blue, {.id = "bell"}).error().kind, Refusal::Kind::not_found);
  EXPECT_EQ(schedules_.get(blue, {.id = "bell", .name_space = "red"}).error().kind, Refusal::Kind::not_found);
  EXPECT_EQ(schedules_.remove(blue, {.id = "bell", .name_space = "red"}, {}).error().kind, Refusal::Kind::not_found);
  EXPECT_EQ(
      schedules_.create(blue, json(R"({"id":"x","namespace":"red","every":"1h","jobType":"r"})"), {}).error().kind,
      Refusal::Kind::not_found);
  EXPECT_TRUE(must(schedules_.list(blue, {})).items.empty());
  EXPECT_EQ(must(schedules_.list(bound_to("red"), {})).items.size(), 1U);
}

TEST_F(SchedulesTest, are_changed_with_a_record_of_who_did_it) {
  create(bell);
  must(schedules_.pause(admin(), {.id = "bell"}, {.reason = "lunch"}, {}));
  ASSERT_FALSE(schedules_.pause(admin(), {.id = "bell"}, {}, {})) << "that is refused, and leaves no record";

  const auto records = must(system_.audit(admin(), std::nullopt, 10));

  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].entry.operation, "schedule.pause");
  EXPECT_EQ(records[1].entry.operation, "schedule.create");
  EXPECT_FALSE(records[1].entry.after.empty());
  EXPECT_EQ(must(system_.verify_audit(admin())).broken, std::nullopt);
}

TEST_F(SchedulesTest, are_triggered_with_the_run_as_answer) {
  create(bell);

  const TriggerAnswer answer = must(schedules_.trigger(admin(), {.id = "bell"}, {.payload = R"({"loud":true})"}, {}));

  EXPECT_EQ(answer.run.record.outcome, DecisionOutcome::started);
  EXPECT_EQ(must(runs_.get(admin(), answer.run.id, std::nullopt)).name, answer.run.name);
  EXPECT_EQ(runs_.get(bound_to("blue"), answer.run.id, std::nullopt).error().kind, Refusal::Kind::not_found);
}

TEST_F(SchedulesTest, explain_what_lies_ahead_and_what_does_not) {
  create(bell);

  const WhyAnswer ahead = must(queries_.why(admin(), {.id = "bell"}, clock_.now() + 2h));
  const WhyAnswer never = must(queries_.why(admin(), {.id = "bell"}, clock_.now() + 90min));

  EXPECT_THAT(ahead.sentence, HasSubstr("is in the future"));
  EXPECT_THAT(never.sentence, HasSubstr("has no scheduled time at"));
  EXPECT_EQ(never.before->nominal, clock_.now() + 1h);
  EXPECT_EQ(never.after->nominal, clock_.now() + 2h);
}

TEST_F(SchedulesTest, explain_what_came_due_in_an_outage_by_it) {
  create(bell);
  const Instant due = clock_.now() + 1h;
  clock_.advance(59min);
  ASSERT_TRUE(store_.note_deciding({.since = clock_.now()}));
  clock_.advance(10min);
  const auto outage = store_.note_deciding({.since = clock_.now()}).value();
  ASSERT_TRUE(outage);
  must(schedules_.pause(admin(), {.id = "bell"}, {}, {}));

  const WhyAnswer why = must(queries_.why(admin(), {.id = "bell"}, due));

  EXPECT_THAT(why.outages, ::testing::ElementsAre(*outage));
  EXPECT_THAT(why.sentence, HasSubstr("; no server was running from "));
  EXPECT_THAT(must(queries_.outages(due - 1h, due + 1h, 10)), ::testing::ElementsAre(*outage));
}

TEST_F(SchedulesTest, are_previewed_without_being_saved) {
  const PreviewAnswer preview =
      must(queries_.preview(json(R"({"cron":"0 9 1 * MON","timezone":"Europe/Berlin"})"), 2, std::nullopt));

  EXPECT_EQ(preview.next.size(), 2U);
  ASSERT_FALSE(preview.warnings.empty());
  EXPECT_EQ(preview.warnings.front().code, "dom-dow-or");
  EXPECT_TRUE(must(schedules_.list(admin(), {})).items.empty());
}

TEST_F(SchedulesTest, warn_of_a_grace_or_window_that_no_loop_can_keep) {
  const ScheduleAnswer made = create(
      R"({"id":"bell","every":"1h","jobType":"ring","policies":{"catchup":{"policy":"none","grace":"0s","window":"0s"}}})");

  const std::vector<Finding>& warnings = made.reading->findings;
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].code, "short-grace");
  EXPECT_EQ(warnings[0].pointer, "/policies/catchup/window");
  EXPECT_EQ(warnings[1].pointer, "/policies/catchup/grace");
  EXPECT_THAT(warnings[1].message, HasSubstr("0s is raised to 1s"));
}

}  // namespace
}  // namespace carillon
