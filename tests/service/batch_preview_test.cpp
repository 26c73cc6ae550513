#include "service/schedule_batches.hpp"
#include "service/service_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace carillon::testing {
namespace {

using ::testing::SizeIs;

class BatchPreviewTest : public ServiceTest {
 protected:
  BatchPreviewTest() {
    create(R"({"id":"a","name":"First","every":"10m","jobType":"t"})");
    create(R"({"id":"b","every":"30m","jobType":"t"})");
    create(R"({"id":"c","every":"1m","jobType":"t"})");
    must(schedules_.pause(admin(), {.id = "c"}, {}, {}));
  }
  static ScheduleBatch all(OperationId operation) { return {.operation = operation, .filter = ScheduleFilter{}}; }
  BatchPreview preview(ScheduleBatch batch) {
    batch.is_preview = true;
    return must(batches_.perform(admin(), batch, {})).preview.value();
  }
  StartLimit starts_{clock_, 1'000};
  ScheduleBatches batches_{parts_, schedules_, starts_};
};

TEST_F(BatchPreviewTest, counts_what_would_change_and_what_would_not_run) {
  const BatchPreview pausing = preview(all(OperationId::pause_schedule));

  EXPECT_EQ(pausing.affected, 2U);
  EXPECT_EQ(pausing.unchanged + pausing.refused, 1U);
  ASSERT_THAT(pausing.samples, SizeIs(3));
  EXPECT_EQ(pausing.samples[0].name.id, "a");
  EXPECT_EQ(pausing.samples[0].title, "First");
  EXPECT_EQ(pausing.samples[0].effect, BatchSample::Effect::changed);
  EXPECT_NE(pausing.samples[2].effect, BatchSample::Effect::changed);
  EXPECT_EQ(pausing.consequence_count, 8);
  EXPECT_EQ(pausing.sentence, "8 occurrences in the next hour will not run");
  EXPECT_EQ(must(schedules_.get(admin(), {.id = "a"})).record.view.state.status, ScheduleStatus::active);
}

TEST_F(BatchPreviewTest, names_the_consequence_of_each_operation) {
  EXPECT_EQ(preview(all(OperationId::resume_schedule)).sentence, "60 occurrences in the next hour will run");
  EXPECT_EQ(preview(all(OperationId::delete_schedule)).consequence_count, 8);
  EXPECT_EQ(preview(all(OperationId::trigger_schedule)).sentence, "3 runs will be started");
  EXPECT_EQ(preview(all(OperationId::cancel_schedule)).affected, 0U);
}

TEST_F(BatchPreviewTest, of_ids_counts_those_that_are_not_there_as_refused) {
  const BatchPreview pausing = preview({.operation = OperationId::pause_schedule, .ids = {"a", "none"}});

  EXPECT_EQ(pausing.affected, 1U);
  EXPECT_EQ(pausing.refused, 1U);
  EXPECT_FALSE(pausing.samples.at(1).message.empty());
}

TEST_F(BatchPreviewTest, has_a_token_that_holds_while_nothing_changes) {
  ScheduleBatch batch = all(OperationId::pause_schedule);
  batch.token = preview(batch).token;

  const BatchAnswer done = must(batches_.perform(admin(), batch, {}));

  EXPECT_EQ(done.count, 3U);
  EXPECT_EQ(must(schedules_.get(admin(), {.id = "a"})).record.view.state.status, ScheduleStatus::paused);
}

TEST_F(BatchPreviewTest, has_a_token_that_fails_when_a_schedule_has_changed_come_or_gone) {
  ScheduleBatch batch = all(OperationId::pause_schedule);
  batch.token = preview(batch).token;
  const auto refused = [&] {
    const auto done = batches_.perform(admin(), batch, {});
    return done ? std::string{"done"} : done.error().code;
  };

  must(schedules_.patch(admin(), {.id = "b"}, json(R"({"description":"new"})"), {}));
  EXPECT_EQ(refused(), "preview_stale");
  batch.token = preview(batch).token;
  create(R"({"id":"d","every":"1h","jobType":"t"})");
  EXPECT_EQ(refused(), "preview_stale");
  batch.token = preview(batch).token;
  must(schedules_.remove(admin(), {.id = "d"}, {}));
  EXPECT_EQ(refused(), "preview_stale");
  batch.token = preview(batch).token;
  batch.operation = OperationId::delete_schedule;
  EXPECT_EQ(refused(), "preview_stale");
  EXPECT_EQ(must(schedules_.get(admin(), {.id = "a"})).record.view.state.status, ScheduleStatus::active);
}

TEST_F(BatchPreviewTest, runs_do_not_change_what_was_previewed) {
  ScheduleBatch batch = all(OperationId::pause_schedule);
  batch.token = preview(batch).token;

  must(schedules_.trigger(admin(), {.id = "a"}, {}, {}));

  EXPECT_TRUE(batches_.perform(admin(), batch, {}));
}

TEST_F(BatchPreviewTest, a_patch_for_many_changes_each_and_needs_the_right_for_one) {
  ScheduleBatch batch = all(OperationId::patch_schedule);
  batch.patch = json(R"({"spec":{"jitter":"5m"}})");
  const BatchPreview before = preview(batch);
  EXPECT_EQ(before.affected, 3U);

  must(batches_.perform(admin(), batch, {}));

  EXPECT_EQ(preview(batch).unchanged, 3U);
  Caller by = admin();
  by.role = Role::operator_;
  EXPECT_EQ(batches_.perform(by, batch, {}).error().kind, Refusal::Kind::forbidden);
}

}  // namespace
}  // namespace carillon::testing
