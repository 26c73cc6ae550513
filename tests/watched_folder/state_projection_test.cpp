#include "watched_folder_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::packages {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class StateProjectionTest : public carillon::testing::WatchedFolderFixture {
 protected:
  void sync() {
    const FolderScope all;
    sync_.apply({&all, 1}, PackageFolder{watched_.path(), {}}.read());
  }
  PackageState projected(const std::string& path = "daily") {
    projection_.update(sync_.packages());
    return read_package_state(state_text(path)).value();
  }

  PackageSync sync_{{schedules_, runs_, clock_, log_, states_, faults_}};
  StateProjection projection_{schedules_, runs_, store_, states_, log_};
};

TEST_F(StateProjectionTest, a_new_package_is_idle_and_has_a_next_run) {
  watched_.write("team/daily/pipeline.yaml", package("0 9 * * *"));
  sync();

  const PackageState state = projected("team/daily");

  EXPECT_EQ(state.schedule_id, schedule_id_of("team/daily").text());
  EXPECT_EQ(state.pipeline_id, "team/daily");
  EXPECT_EQ(state.status, PackageStatus::idle);
  EXPECT_EQ(to_text(state.next_run.value()), "2026-06-02T09:00:00Z");
  EXPECT_EQ(state.last_run, std::nullopt);
}

TEST_F(StateProjectionTest, runs_are_told_newest_first_and_counted_once) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  finish_run(name_of("daily"), AttemptOutcome::failed);
  finish_run(name_of("daily"), AttemptOutcome::succeeded, R"({"itemsProcessed":42,"resultFile":".results/x.json"})");

  const PackageState state = projected();

  EXPECT_EQ(state.status, PackageStatus::idle);
  ASSERT_EQ(state.history.size(), 2U);
  EXPECT_TRUE(state.history[0].is_success);
  EXPECT_EQ(state.history[0].duration_ms, 3'000);
  EXPECT_EQ(state.history[1].error, "it broke");
  EXPECT_EQ(state.last_run->items_processed, 42);
  EXPECT_EQ(state.last_run->result_file, ".results/x.json");
  EXPECT_EQ(state.stats.total_runs, 2);
  EXPECT_EQ(state.stats.successful_runs, 1);
  EXPECT_EQ(state.stats.failed_runs, 1);
  EXPECT_EQ(state.stats.last_failure, state.history[1].completed_at);
}

TEST_F(StateProjectionTest, no_more_runs_are_told_than_wanted) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  for (int i = 0; i < 3; ++i) finish_run(name_of("daily"), AttemptOutcome::succeeded);
  StateProjection two{schedules_, runs_, store_, states_, log_, 2};

  two.update(sync_.packages());

  const PackageState state = read_package_state(state_text("daily")).value();
  EXPECT_EQ(state.history.size(), 2U);
  EXPECT_EQ(state.stats.total_runs, 3);
}

TEST_F(StateProjectionTest, the_status_follows_what_happens) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  finish_run(name_of("daily"), AttemptOutcome::failed);
  EXPECT_EQ(projected().status, PackageStatus::error);

  must(schedules_.pause(admin(), name_of("daily"), {}, {}));
  EXPECT_EQ(projected().status, PackageStatus::paused);
  EXPECT_EQ(projected().next_run, std::nullopt);

  must(schedules_.resume(admin(), name_of("daily"), {}));
  EXPECT_EQ(projected().status, PackageStatus::error);
}

TEST_F(StateProjectionTest, a_package_that_was_moved_here_keeps_its_history) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  watched_.write("daily/.schedule-state.json", R"({
    "version":1,"scheduleId":"x","pipelineId":"daily","status":"error","enabled":true,
    "lastRun":{"startedAt":"2026-01-26T14:00:00.000Z","completedAt":null,"success":false},
    "stats":{"totalRuns":10,"successfulRuns":9,"failedRuns":1,"lastFailure":"2026-01-26T14:00:00.000Z"},
    "history":[{"startedAt":"2026-01-26T14:00:00.000Z","completedAt":null,"success":false}]})");
  sync();
  EXPECT_EQ(projected().history.size(), 1U);

  finish_run(name_of("daily"), AttemptOutcome::succeeded);
  const PackageState state = projected();

  ASSERT_EQ(state.history.size(), 2U);
  EXPECT_TRUE(state.history[0].is_success);
  EXPECT_EQ(to_text(state.history[1].started_at), "2026-01-26T14:00:00Z");
  EXPECT_EQ(state.stats.total_runs, 11);
  EXPECT_EQ(state.stats.successful_runs, 10);
  EXPECT_EQ(to_text(state.stats.last_failure.value()), "2026-01-26T14:00:00Z");
}

TEST_F(StateProjectionTest, a_file_that_says_the_same_is_not_written_again) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  projected();
  const auto file = watched_.path() / "daily/.schedule-state.json";
  std::filesystem::last_write_time(file, std::filesystem::file_time_type{});

  StateProjection fresh{schedules_, runs_, store_, states_, log_};
  fresh.update(sync_.packages());

  EXPECT_EQ(std::filesystem::last_write_time(file), std::filesystem::file_time_type{});
}

TEST_F(StateProjectionTest, so_many_files_are_written_at_a_time_and_the_others_with_the_next_call) {
  for (const char* name : {"a", "b", "c"}) watched_.write(fmt::format("{}/pipeline.yaml", name), package("0 9 * * *"));
  sync();

  EXPECT_TRUE(projection_.update(sync_.packages(), 2));
  EXPECT_EQ(state_text("c"), "");
  EXPECT_FALSE(projection_.update(sync_.packages(), 2));

  for (const char* name : {"a", "b", "c"}) EXPECT_NE(state_text(name), "") << name;
}

TEST_F(StateProjectionTest, a_file_that_cannot_be_written_harms_no_other_and_is_tried_again) {
  for (const char* name : {"a", "b", "c"}) watched_.write(fmt::format("{}/pipeline.yaml", name), package("0 9 * * *"));
  sync();
  // Nothing can take the place of a folder that is not empty.
  watched_.write("a/.schedule-state.json/in-the-way", "");

  EXPECT_TRUE(projection_.update(sync_.packages(), 1));
  EXPECT_TRUE(projection_.update(sync_.packages(), 1));
  EXPECT_FALSE(projection_.update(sync_.packages(), 1));

  for (const char* name : {"b", "c"}) EXPECT_NE(state_text(name), "") << name;
  EXPECT_EQ(log_.count("state file of a package was not written"), 1U);
  watched_.remove("a/.schedule-state.json");
  EXPECT_FALSE(projection_.update(sync_.packages()));
  EXPECT_NE(state_text("a"), "");
}

TEST_F(StateProjectionTest, a_folder_that_is_gone_does_not_come_back) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  watched_.remove("daily");
  projection_.update(sync_.packages());

  EXPECT_FALSE(std::filesystem::exists(watched_.path() / "daily"));
}

}  // namespace
}  // namespace carillon::packages
