#include "watched_folder_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::packages {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class PackageSyncTest : public carillon::testing::WatchedFolderFixture {
 protected:
  SyncCounts sync(const FolderScope& scope = {}) {
    const PackageFolder folder{watched_.path(), {.which = WatchedFiles::packages_and_schedules}};
    return sync_.apply({&scope, 1}, folder.read(scope));
  }
  void pass(Duration time) {
    clock_.advance(time);
    sync_.remove_missing();
  }

  PackageSync sync_{schedules_, clock_, log_, states_, faults_};
};

TEST_F(PackageSyncTest, a_package_becomes_a_schedule_and_a_change_of_it_an_edit) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  EXPECT_EQ(sync().created, 1U);
  EXPECT_THAT(cron_of("daily"), ElementsAre("0 9 * * *"));

  EXPECT_EQ(sync().unchanged, 1U);

  watched_.write("daily/pipeline.yaml", package("0 10 * * *"));
  EXPECT_EQ(sync().updated, 1U);
  EXPECT_THAT(cron_of("daily"), ElementsAre("0 10 * * *"));
}

TEST_F(PackageSyncTest, a_broken_file_is_reported_and_its_last_good_definition_stays) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  watched_.write("daily/pipeline.yaml", package("0 99 * * *"));

  EXPECT_EQ(sync().refused, 1U);
  EXPECT_EQ(sync().refused, 1U);
  pass(1h);

  EXPECT_THAT(cron_of("daily"), ElementsAre("0 9 * * *"));
  EXPECT_EQ(log_.count("file of schedules is not in force"), 1U);
  ASSERT_EQ(faults_.findings("daily/pipeline.yaml").size(), 1U);
  EXPECT_THAT(faults_.findings("daily/pipeline.yaml").front().message, HasSubstr("daily/pipeline.yaml:3:"));

  watched_.write("daily/pipeline.yaml", package("0 11 * * *"));
  sync();
  EXPECT_THAT(faults_.all(), IsEmpty());
}

TEST_F(PackageSyncTest, a_schedule_goes_ten_minutes_after_its_file) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  watched_.remove("daily");
  sync();

  pass(10min - 1s);
  EXPECT_TRUE(exists("daily"));
  pass(1s);
  EXPECT_FALSE(exists("daily"));
  EXPECT_EQ(sync_.next_removal(), std::nullopt);
}

TEST_F(PackageSyncTest, a_switch_of_branches_and_back_within_ten_minutes_loses_nothing) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  must(schedules_.pause(admin(), name_of("daily"), {.reason = "holiday"}, {}));
  const auto before = must(schedules_.find(admin(), name_of("daily")));
  watched_.remove("daily");
  sync();
  pass(9min);
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  pass(1h);

  const auto after = must(schedules_.find(admin(), name_of("daily")));
  EXPECT_EQ(after.view.state.uid, before.view.state.uid);
  EXPECT_EQ(after.view.state.status, ScheduleStatus::paused);
}

TEST_F(PackageSyncTest, a_schedule_block_that_is_taken_out_counts_as_gone) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  watched_.write("daily/pipeline.yaml",
                 "name: Report\ninput:\n  items: [{a: b}]\nmap: {prompt: x}\nreduce: {type: list}\n");
  sync();
  pass(10min);

  EXPECT_FALSE(exists("daily"));
}

TEST_F(PackageSyncTest, only_the_scope_that_was_read_is_touched) {
  watched_.write("a/pipeline.yaml", package("0 9 * * *"));
  watched_.write("b/pipeline.yaml", package("0 9 * * *"));
  sync();
  watched_.remove("b");
  sync({.folder = "a", .is_recursive = false});
  pass(1h);
  EXPECT_TRUE(exists("b"));

  sync({.folder = "b", .is_recursive = true});
  pass(1h);
  EXPECT_FALSE(exists("b"));
  EXPECT_TRUE(exists("a"));
}

TEST_F(PackageSyncTest, a_folder_that_cannot_be_read_removes_nothing) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  const FolderScope all;
  sync_.apply({&all, 1}, PackageFolder{watched_.path() / "none", {}}.read());
  pass(1h);

  EXPECT_TRUE(exists("daily"));
}

TEST_F(PackageSyncTest, what_was_removed_while_nobody_watched_goes_too) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  create(R"({"id":"by-hand","jobType":"t"})");
  watched_.remove("daily");
  PackageSync later{schedules_, clock_, log_, states_, faults_};
  ASSERT_TRUE(later.load());
  const FolderScope all;
  later.apply({&all, 1}, PackageFolder{watched_.path(), {}}.read());
  clock_.advance(10min);
  later.remove_missing();

  EXPECT_FALSE(exists("daily"));
  EXPECT_TRUE(schedules_.find(admin(), {.id = "by-hand"}));
}

TEST_F(PackageSyncTest, a_schedule_that_somebody_else_made_is_not_taken_over) {
  create(R"({"id":"nightly","jobType":"t"})");
  watched_.write("nightly.yaml", "{id: nightly, every: 1h, jobType: other}");

  EXPECT_EQ(sync().refused, 1U);
  EXPECT_THAT(text_of(faults_.all().front()), HasSubstr("nightly.yaml: schedule nightly exists already"));
}

TEST_F(PackageSyncTest, a_schedule_file_that_is_renamed_keeps_its_schedule) {
  watched_.write("z.yaml", "{id: nightly, every: 1h, jobType: t}");
  sync();
  std::filesystem::rename(watched_.path() / "z.yaml", watched_.path() / "a.yaml");

  EXPECT_EQ(sync().updated, 1U);
  pass(1h);

  EXPECT_TRUE(schedules_.find(admin(), {.id = "nightly"}));
  EXPECT_THAT(faults_.all(), IsEmpty());
}

TEST_F(PackageSyncTest, a_package_that_was_paused_elsewhere_is_paused_here) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  watched_.write("daily/.schedule-state.json",
                 R"({"version":1,"scheduleId":"x","pipelineId":"daily","status":"paused","enabled":true})");
  sync();

  const auto record = must(schedules_.find(admin(), name_of("daily")));
  EXPECT_EQ(record.view.state.status, ScheduleStatus::paused);
  EXPECT_EQ(record.pause->reason, "paused by daily/.schedule-state.json");
}

TEST_F(PackageSyncTest, a_state_file_means_nothing_where_the_schedule_is_known) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  watched_.write("daily/.schedule-state.json",
                 R"({"version":1,"scheduleId":"x","pipelineId":"daily","status":"paused","enabled":true})");
  watched_.write("daily/pipeline.yaml", package("0 10 * * *"));
  sync();

  EXPECT_EQ(must(schedules_.find(admin(), name_of("daily"))).view.state.status, ScheduleStatus::active);
}

TEST_F(PackageSyncTest, a_state_that_cannot_be_understood_is_set_aside_and_the_package_waits_for_a_person) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  watched_.write("daily/.schedule-state.json", R"({"version": 7})");
  sync();

  const auto record = must(schedules_.find(admin(), name_of("daily")));
  EXPECT_EQ(record.view.state.status, ScheduleStatus::paused);
  EXPECT_THAT(record.pause->reason, HasSubstr("version 7"));
  EXPECT_TRUE(std::filesystem::exists(watched_.path() / "daily/.schedule-state.json.unreadable"));
  EXPECT_FALSE(std::filesystem::exists(watched_.path() / "daily/.schedule-state.json"));
}

}  // namespace
}  // namespace carillon::packages
