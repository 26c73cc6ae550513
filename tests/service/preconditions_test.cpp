#include "service/service_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view bell = R"({"id":"bell","every":"1h","jobType":"ring"})";

class PreconditionsTest : public ServiceTest {
 protected:
  static WriteTerms from(const ScheduleAnswer& known) {
    return {.when = {.any_of = std::vector{revision_tag(known.record.view.state)}}};
  }
  static WriteTerms dry() { return {.is_dry_run = true}; }
};

TEST_F(PreconditionsTest, name_no_schedule_that_was_created_again_under_the_id) {
  const auto first = create(bell);
  must(schedules_.remove(admin(), {.id = "bell"}, {}));
  const auto second = create(bell);

  EXPECT_EQ(first.record.view.state.revision, second.record.view.state.revision);
  EXPECT_NE(revision_tag(first.record.view.state), revision_tag(second.record.view.state));
  EXPECT_EQ(schedules_.pause(admin(), {.id = "bell"}, {}, from(first)).error().kind, Refusal::Kind::stale);
  EXPECT_EQ(schedules_.remove(admin(), {.id = "bell"}, from(first)).error().kind, Refusal::Kind::stale);
  EXPECT_EQ(schedules_.cancel(admin(), {.id = "bell"}, from(first)).error().kind, Refusal::Kind::stale);
  EXPECT_TRUE(schedules_.pause(admin(), {.id = "bell"}, {}, from(second)));
}

TEST_F(PreconditionsTest, hold_for_backfills_too) {
  const auto first = create(bell);
  const BackfillRequest command{.from = clock_.now() - std::chrono::hours{5}, .to = clock_.now()};
  const BackfillAnswer backfill = must(backfills_.create(admin(), {.id = "bell"}, command, from(first)));
  const ScheduleAnswer second = must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"description":"new"})"), {}));
  const auto pause = [&](const ScheduleAnswer& known) {
    return backfills_.change(admin(), {.id = "bell"}, backfill.record.id, BackfillChanged::Kind::pause, from(known));
  };

  EXPECT_EQ(backfills_.create(admin(), {.id = "bell"}, command, from(first)).error().kind, Refusal::Kind::stale);
  EXPECT_EQ(pause(first).error().kind, Refusal::Kind::stale);
  EXPECT_TRUE(pause(second));
}

TEST_F(PreconditionsTest, are_any_of_a_list) {
  const auto known = create(bell);
  WriteTerms terms = from(known);
  terms.when.any_of->insert(terms.when.any_of->begin(), "of-somebody-else");

  EXPECT_TRUE(schedules_.pause(admin(), {.id = "bell"}, {}, terms));
}

TEST_F(PreconditionsTest, ask_for_one_that_is_new_or_for_one_that_is_there) {
  const auto body = json(R"({"every":"1h","jobType":"ring"})");
  const WriteTerms there{.when = {.must_exist = true}};
  const WriteTerms fresh{.when = {.must_be_new = true}};

  EXPECT_EQ(schedules_.put(admin(), {.id = "bell"}, body, there).error().kind, Refusal::Kind::stale);
  EXPECT_TRUE(must(schedules_.put(admin(), {.id = "bell"}, body, fresh)).is_new);
  EXPECT_EQ(schedules_.put(admin(), {.id = "bell"}, body, fresh).error().kind, Refusal::Kind::stale);
  EXPECT_FALSE(must(schedules_.put(admin(), {.id = "bell"}, body, there)).is_new);
}

TEST_F(PreconditionsTest, a_put_keeps_the_id_as_it_was_first_written) {
  create(bell);
  const auto put = must(schedules_.put(admin(), {.id = "BELL"}, json(R"({"every":"2h","jobType":"ring"})"), {}));

  EXPECT_EQ(put.answer.record.key.id.text(), "bell");
  EXPECT_EQ(json(put.answer.record.document).at("id"), "bell");
}

TEST_F(PreconditionsTest, a_put_is_about_the_namespace_of_the_address) {
  const auto body = json(R"({"namespace":"red","every":"1h","jobType":"ring"})");

  const auto other = schedules_.put(admin(), {.id = "bell", .name_space = "blue"}, body, {});
  const auto none = schedules_.put(admin(), {.id = "bell"}, body, {});

  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().errors.front().pointer, "/namespace");
  EXPECT_EQ(none.error().errors.front().pointer, "/namespace");
  EXPECT_EQ(schedules_.put(bound_to("blue"), {.id = "bell"}, body, {}).error().kind, Refusal::Kind::not_found);
  EXPECT_TRUE(schedules_.put(admin(), {.id = "bell", .name_space = "red"}, body, {}));
}

TEST_F(PreconditionsTest, a_dry_run_tells_what_the_schedule_would_be) {
  create(bell);
  const auto status = [&](const Served<ScheduleAnswer>& answer) { return must(answer).record.view.state.status; };

  EXPECT_EQ(status(schedules_.pause(admin(), {.id = "bell"}, {.reason = "why"}, dry())), ScheduleStatus::paused);
  EXPECT_EQ(must(schedules_.pause(admin(), {.id = "bell"}, {.reason = "why"}, dry())).record.pause->reason, "why");
  EXPECT_EQ(schedules_.resume(admin(), {.id = "bell"}, dry()).error().kind, Refusal::Kind::wrong_status);
  must(schedules_.pause(admin(), {.id = "bell"}, {}, {}));
  EXPECT_EQ(schedules_.pause(admin(), {.id = "bell"}, {}, dry()).error().kind, Refusal::Kind::wrong_status);
  EXPECT_EQ(status(schedules_.resume(admin(), {.id = "bell"}, dry())), ScheduleStatus::active);
  must(schedules_.disable(admin(), {.id = "bell"}, {}));
  // It was paused when it was disabled: enabling it does not end the pause.
  EXPECT_EQ(status(schedules_.patch(admin(), {.id = "bell"}, json(R"({"enabled":true})"), dry())),
            ScheduleStatus::paused);
  EXPECT_EQ(status(schedules_.enable(admin(), {.id = "bell"}, dry())), ScheduleStatus::paused);
  EXPECT_EQ(status(schedules_.get(admin(), {.id = "bell"})), ScheduleStatus::disabled);
}

TEST_F(PreconditionsTest, a_dry_run_revives_what_the_edit_would) {
  create(R"({"id":"bell","jobType":"ring","spec":{"times":["2026-06-01T12:00:01Z"]}})");
  clock_.advance(1h);
  EditionContext context{store_, store_, definitions_, 77};
  for (int i = 0; i < 3; ++i) must(context.scheduling.decide_due({}));
  ASSERT_NE(must(schedules_.get(admin(), {.id = "bell"})).record.view.state.status, ScheduleStatus::disabled);

  const auto tried = must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"cron":"@daily"})"), dry()));
  const auto done = must(schedules_.patch(admin(), {.id = "bell"}, json(R"({"cron":"@daily"})"), {}));

  EXPECT_EQ(tried.record.view.state.status, done.record.view.state.status);
  EXPECT_EQ(tried.next->nominal, done.next->nominal);
}

TEST_F(PreconditionsTest, a_backfill_is_previewed_as_it_would_run) {
  create(R"({"id":"bell","cron":"0 * * * *","jobType":"ring","enabled":false})");
  const BackfillRequest past{.from = clock_.now() - 3h, .to = clock_.now()};
  must(backfills_.create(admin(), {.id = "bell"}, past, {}));
  EditionContext context{store_, store_, definitions_, 77};
  for (int i = 0; i < 3; ++i) must(context.scheduling.decide_due({}));
  must(schedules_.cancel(admin(), {.id = "bell"}));
  for (int i = 0; i < 3; ++i) must(context.scheduling.decide_due({}));

  BackfillRequest failed = past;
  failed.reprocess = Reprocess::failed;
  const auto preview = must(backfills_.preview(admin(), {.id = "bell"}, failed));

  EXPECT_GE(preview.conflicts, 1);
  EXPECT_EQ(preview.failed, 0) << "what was cancelled has not failed";
  EXPECT_EQ(preview.to_run, preview.total - preview.conflicts);
  const auto ahead =
      backfills_.preview(admin(), {.id = "bell"}, {.from = clock_.now() + 24h, .to = clock_.now() + 48h});
  ASSERT_FALSE(ahead);
  EXPECT_EQ(ahead.error().kind, Refusal::Kind::invalid);
}

TEST_F(PreconditionsTest, what_can_never_start_has_nothing_ahead) {
  create(R"({"id":"off","every":"1h","jobType":"ring","enabled":false})");

  EXPECT_TRUE(must(schedules_.get(admin(), {.id = "off"})).upcoming.empty());
  const NextRuns next = must(queries_.next_runs(admin(), {.id = "off"}, 5));
  EXPECT_TRUE(next.items.empty());
  EXPECT_EQ(next.reason, "the schedule is disabled");
}

TEST_F(PreconditionsTest, names_are_checked_when_they_are_new) {
  EXPECT_EQ(schedules_.create(admin(), json(R"({"id":"batch","jobType":"t"})"), {}).error().errors.front().pointer,
            "/id");
  EXPECT_EQ(must(schedules_.create(admin(), json(R"({"name":"Preview","jobType":"t"})"), {})).record.key.id.text(),
            "preview-2");
  const auto upper = schedules_.create(admin(), json(R"({"id":"a","namespace":"Default","jobType":"t"})"), {});
  ASSERT_FALSE(upper);
  EXPECT_EQ(upper.error().errors.front().pointer, "/namespace");
  EXPECT_FALSE(access_.issue(admin(), {.name = "a", .role = Role::viewer, .name_space = "Blue"}));
  EXPECT_FALSE(runs_.enqueue(admin(), json(R"({"jobType":"t","namespace":"Blue"})"), {}));
}

TEST_F(PreconditionsTest, what_nobody_performs_is_refused) {
  const auto made = schedules_.create(admin(), json(R"({"id":"a","action":{"pipeline":{"path":"p"}}})"), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().errors.front().pointer, "/action/pipeline");
  create(bell);
  EXPECT_FALSE(schedules_.patch(admin(), {.id = "bell"}, json(R"({"action":{"pipeline":{"path":"p"}}})"), {}));
  EXPECT_FALSE(schedules_.put(admin(), {.id = "bell"}, json(R"({"action":{"pipeline":{"path":"p"}}})"), {}));
  EXPECT_EQ(made.error().errors.front().message, "this server has no folder of pipelines");
}

TEST_F(PreconditionsTest, a_run_in_a_paused_queue_says_what_it_waits_for) {
  create(R"({"id":"bell","jobType":"ring","queue":"reports"})");
  const auto waits = [&] { return must(schedules_.trigger(admin(), {.id = "bell"}, {}, {})).run.waits_for; };
  EXPECT_EQ(waits()->kind, WaitReason::Kind::worker);
  must(system_.pause_queue(admin(), std::nullopt, "reports", true));

  const auto held = must(schedules_.trigger(admin(), {.id = "bell"}, {}, {})).run;

  EXPECT_EQ(held.waits_for->kind, WaitReason::Kind::paused_queue);
  EXPECT_EQ(held.waits_for->queue, "reports");
  EXPECT_NE(held.why.find("its queue reports is paused"), std::string::npos) << held.why;
  EXPECT_EQ(must(runs_.get(admin(), held.id, std::nullopt)).waits_for->kind, WaitReason::Kind::paused_queue);
  EXPECT_EQ(must(schedules_.get(admin(), {.id = "bell"})).recent.front().waits_for->kind,
            WaitReason::Kind::paused_queue);
}

TEST_F(PreconditionsTest, a_caller_of_one_namespace_sees_its_own_part_of_a_shared_queue) {
  create(R"({"id":"a","command":["/bin/true"]})");
  create(R"({"id":"b","namespace":"blue","command":["/bin/true"]})");
  must(schedules_.trigger(admin(), {.id = "a"}, {}, {}));
  for (int i = 0; i < 3; ++i) must(schedules_.trigger(admin(), {.id = "b", .name_space = "blue"}, {}, {}));
  const auto depth = [&](const Caller& caller) {
    for (const QueueRecord& queue : must(system_.queues(caller, std::nullopt)))
      if (queue.name == "@command") return queue.depth;
    return std::int64_t{-1};
  };

  EXPECT_EQ(depth(admin()), 4);
  EXPECT_EQ(depth(bound_to("default")), 1);
}

TEST_F(PreconditionsTest, a_dry_run_of_a_trigger_says_what_would_be_decided_and_writes_nothing) {
  create(R"({"id":"bell","jobType":"ring"})");
  const auto tried = [&](OverlapPolicy overlap) {
    return must(schedules_.try_trigger(admin(), {.id = "bell"}, {.overlap = overlap}, {}));
  };
  EXPECT_EQ(tried(OverlapPolicy::skip).outcome, DecisionOutcome::started);
  must(schedules_.trigger(admin(), {.id = "bell"}, {.overlap = OverlapPolicy::skip}, {}));

  const TriggerDecision decision = tried(OverlapPolicy::skip);

  EXPECT_EQ(decision.outcome, DecisionOutcome::skipped);
  EXPECT_EQ(decision.reason, SkipReason::overlap);
  EXPECT_EQ(tried(OverlapPolicy::buffer_one).outcome, DecisionOutcome::waiting);
  EXPECT_EQ(must(runs_.list(admin(), {.filter = {}, .before = {}, .count_max = 10})).items.size(), 1U);
}

TEST_F(PreconditionsTest, a_dry_run_of_a_cancellation_counts_and_cancels_nothing) {
  create(R"({"id":"bell","jobType":"ring"})");
  must(schedules_.trigger(admin(), {.id = "bell"}, {}, {}));
  WriteTerms dry;
  dry.is_dry_run = true;

  EXPECT_EQ(must(schedules_.cancel(admin(), {.id = "bell"}, dry)), 1);
  EXPECT_EQ(must(schedules_.cancel(admin(), {.id = "bell"}, {})), 1);
}

}  // namespace
}  // namespace carillon::testing
