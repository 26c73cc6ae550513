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

  std::vector<PackageChange> changes_;
  PackageSync sync_{{schedules_, runs_, clock_, log_, states_, faults_,
                     [this](const PackageChange& change) { changes_.push_back(change); }}};
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

TEST_F(PackageSyncTest, whoever_listens_is_told_what_is_added_updated_and_removed) {
  using enum PackageChange::Kind;
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  sync();
  sync();
  watched_.write("daily/pipeline.yaml", package("0 10 * * *"));
  sync();
  watched_.remove("daily");
  sync();
  pass(10min);

  std::vector<PackageChange::Kind> kinds;
  for (const PackageChange& change : changes_) {
    EXPECT_EQ(change.schedule_id, schedule_id_of("daily").text());
    EXPECT_EQ(change.package, "daily");
    kinds.push_back(change.kind);
  }
  EXPECT_THAT(kinds, ElementsAre(added, updated, removed));
}

TEST_F(PackageSyncTest, many_files_at_once_are_all_put_in_force_and_told_in_their_order) {
  for (int i = 100; i < 200; ++i) watched_.write(fmt::format("p{}/pipeline.yaml", i), package("0 9 * * *"));
  watched_.write("p150/pipeline.yaml", package("0 99 * * *"));

  const SyncCounts counts = sync();

  EXPECT_EQ(counts.created, 99U);
  EXPECT_EQ(counts.refused, 1U);
  EXPECT_EQ(sync_.packages().size(), 99U);
  ASSERT_EQ(changes_.size(), 99U);
  EXPECT_EQ(changes_.front().package, "p100");
  EXPECT_EQ(changes_.back().package, "p199");
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

TEST_F(PackageSyncTest, a_broken_file_that_defines_nothing_yet_is_told_apart_from_one_whose_last_definition_holds) {
  watched_.write("known/pipeline.yaml", package("0 9 * * *"));
  sync();
  watched_.write("known/pipeline.yaml", package("0 99 * * *"));
  watched_.write("new/pipeline.yaml", package("0 99 * * *"));
  sync();

  ASSERT_EQ(faults_.all().size(), 2U);
  ASSERT_EQ(faults_.unscheduled().size(), 1U);
  EXPECT_THAT(faults_.unscheduled().front(), HasSubstr("new/pipeline.yaml:3:"));

  watched_.write("new/pipeline.yaml", package("0 9 * * *"));
  sync();
  EXPECT_THAT(faults_.unscheduled(), IsEmpty());
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
  PackageSync later{{schedules_, runs_, clock_, log_, states_, faults_}};
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

/// A package that was moved here while nobody decided its schedule.
class MovedPackageTest : public PackageSyncTest {
 protected:
  static constexpr std::string_view file_ = "new/.schedule-state.json";

  void write_package(std::string_view more = "") {
    std::string text = package("0 9 * * *");
    if (!more.empty()) text.insert(text.find("  timezone"), fmt::format("  {}\n", more));
    watched_.write("new/pipeline.yaml", text);
  }
  /// As a scheduler left it at `written`.
  void write_state(std::string_view next_run, Instant written, std::string_view schedule = "old-000000",
                   std::string_view status = "idle") {
    watched_.write(std::string{file_},
                   fmt::format(R"({{"version":1,"scheduleId":"{}","pipelineId":"old","status":"{}","enabled":true,)"
                               R"("nextRun":"{}"}})",
                               schedule, status, next_run));
    const auto time = std::chrono::file_clock::from_sys(written);
    std::filesystem::last_write_time(watched_.path() / file_, std::chrono::time_point_cast<file_time::duration>(time));
  }
  using file_time = std::filesystem::file_time_type;

  [[nodiscard]] std::vector<std::string> started() {
    std::vector<std::string> nominals;
    for (const RunAnswer& run : must(runs_.list_of(admin(), name_of("new"), {.count_max = 10})).items)
      nominals.push_back(to_text(run.record.nominal));
    return nominals;
  }
  /// The package is moved the moment its last run has ended, before its state file says so.
  void move_after_run(AttemptOutcome outcome) {
    watched_.write("old/pipeline.yaml", package("0 9 * * *"));
    sync();
    finish_run(name_of("old"), outcome, {}, {.nominal = parse_instant("2026-06-01T09:00:00Z").value()});
    watched_.remove("old");
    write_package();
    write_state("2026-06-01T09:00:00.000Z", clock_.now() - 24h, schedule_id_of("old").text());
    sync();
  }
};

TEST_F(MovedPackageTest, runs_what_it_has_missed) {
  write_package();
  write_state("2026-05-31T09:00:00.000Z", clock_.now() - 48h);
  sync();

  EXPECT_THAT(started(), ElementsAre("2026-06-01T09:00:00Z"));
  EXPECT_EQ(log_.count("starting the run that a moved package missed"), 1U);
}

TEST_F(MovedPackageTest, skips_what_it_has_missed_if_it_says_so_or_it_is_too_late) {
  for (const std::string_view how : {"missedExecution: skip", "window: {maxDelayMinutes: 30}", "enabled: false"}) {
    watched_.remove("new");
    write_package(how);
    write_state("2026-05-31T09:00:00.000Z", clock_.now() - 48h);
    sync();

    EXPECT_THAT(started(), IsEmpty()) << how;
    must(schedules_.remove(PackageSync::keeper(), name_of("new"), {}));
    clock_.advance(24h * 60);
  }
}

TEST_F(MovedPackageTest, misses_nothing_while_it_is_paused) {
  write_package();
  write_state("2026-05-31T09:00:00.000Z", clock_.now() - 48h, "old-000000", "paused");
  sync();

  EXPECT_THAT(started(), IsEmpty());
}

TEST_F(MovedPackageTest, misses_nothing_when_its_next_run_lies_ahead) {
  write_package();
  write_state("2026-06-02T09:00:00.000Z", clock_.now() - 1h);
  sync();

  EXPECT_THAT(started(), IsEmpty());
}

TEST_F(MovedPackageTest, runs_nothing_by_a_state_file_that_was_checked_out_later_than_the_run_it_announces) {
  write_package();
  write_state("2026-05-31T09:00:00.000Z", clock_.now() - 1min);
  sync();

  EXPECT_THAT(started(), IsEmpty());
}

TEST_F(MovedPackageTest, does_not_repeat_a_run_that_its_state_file_does_not_know_yet) {
  move_after_run(AttemptOutcome::succeeded);

  EXPECT_THAT(started(), IsEmpty());
}

TEST_F(MovedPackageTest, makes_up_for_a_run_that_failed_because_the_package_was_away) {
  move_after_run(AttemptOutcome::failed);

  EXPECT_THAT(started(), ElementsAre("2026-06-01T09:00:00Z"));
}

}  // namespace
}  // namespace carillon::packages
