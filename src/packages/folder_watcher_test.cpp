#include "packages/folder_watcher.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace carillon::packages {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

FolderScope files_in(std::string folder) { return {.folder = std::move(folder), .is_recursive = false}; }
FolderScope all_below(std::string folder) { return {.folder = std::move(folder), .is_recursive = true}; }

TEST(ChangeDebouncer, waits_until_a_folder_has_been_quiet_each_for_itself) {
  ChangeDebouncer changes;
  changes.note(files_in("a"), 0ms);
  changes.note(files_in("b"), 100ms);
  changes.note(files_in("a"), 400ms);

  EXPECT_EQ(changes.next_due(), 600ms);
  EXPECT_THAT(changes.take_due(599ms), IsEmpty());
  EXPECT_THAT(changes.take_due(600ms), ElementsAre(files_in("b")));
  EXPECT_THAT(changes.take_due(900ms), ElementsAre(files_in("a")));
  EXPECT_EQ(changes.next_due(), std::nullopt);
}

TEST(ChangeDebouncer, does_not_wait_for_ever_for_a_folder_that_is_never_quiet) {
  ChangeDebouncer changes;
  for (Duration now = 0ms; now <= 10s; now += 100ms) changes.note(files_in("a"), now);

  EXPECT_EQ(changes.next_due(), 10s);
}

class FolderWatcherTest : public ::testing::Test {
 protected:
  FolderWatcherTest() {
    folder_.write("daily/pipeline.yaml", "name: a");
    folder_.write("team/weekly/pipeline.yml", "name: b");
  }
  void watch(WatchedFiles which = WatchedFiles::packages) {
    watcher_.emplace(FolderWatcher::open(folder_.path(), which).value());
  }
  void save(const std::string& name, std::string_view text = "x") const {
    std::ofstream{folder_.path() / name} << text;
  }
  void move(const std::string& from, const std::string& to) const {
    fs::rename(folder_.path() / from, folder_.path() / to);
  }
  /// What is to be read when all has been quiet.
  std::vector<FolderScope> changes() {
    watcher_->take_events(now_);
    return watcher_->take_due(now_ + quiet_time);
  }

  TemporaryFolder folder_;
  std::optional<FolderWatcher> watcher_;
  Duration now_ = 1h;
};

TEST_F(FolderWatcherTest, hears_of_a_file_that_is_saved_also_far_below) {
  watch();
  save("daily/pipeline.yaml");
  save("team/weekly/pipeline.yml");

  EXPECT_THAT(changes(), ElementsAre(files_in("daily"), files_in("team/weekly")));
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(FolderWatcherTest, hears_of_an_editor_that_renames_a_new_file_over_the_old_one) {
  watch();
  save("daily/.pipeline.yaml.swp");
  EXPECT_THAT(changes(), IsEmpty());

  move("daily/.pipeline.yaml.swp", "daily/pipeline.yaml");

  EXPECT_THAT(changes(), ElementsAre(files_in("daily")));
}

TEST_F(FolderWatcherTest, hears_of_deletions_and_moves_of_files_and_folders) {
  watch();
  folder_.remove("daily/pipeline.yaml");
  EXPECT_THAT(changes(), ElementsAre(files_in("daily")));

  move("team", "group");
  EXPECT_THAT(changes(), ElementsAre(all_below("group"), all_below("team")));

  save("group/weekly/pipeline.yml");
  EXPECT_THAT(changes(), ElementsAre(files_in("group/weekly")));

  folder_.remove("group");
  const auto gone = changes();
  EXPECT_NE(std::ranges::find(gone, all_below("group")), gone.end());
}

TEST_F(FolderWatcherTest, watches_folders_that_come_later_and_what_was_in_them_by_then) {
  watch();
  fs::create_directories(folder_.path() / "new/inner");
  save("new/inner/pipeline.yaml");
  watcher_->take_events(now_);
  save("new/inner/pipeline.yaml");

  const auto changed = changes();

  EXPECT_NE(std::ranges::find(changed, all_below("new")), changed.end());
  EXPECT_NE(std::ranges::find(changed, files_in("new/inner")), changed.end());
}

TEST_F(FolderWatcherTest, passes_over_what_defines_nothing) {
  folder_.write("daily/.results/pipeline.yaml", "x");
  folder_.write("node_modules/a/pipeline.yaml", "x");
  watch();
  save("daily/.schedule-state.json");
  save("daily/old-pipeline.yaml");
  save("daily/input.csv");
  save("daily/.results/pipeline.yaml");
  save("node_modules/a/pipeline.yaml");
  fs::create_directory(folder_.path() / ".git");

  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(FolderWatcherTest, hears_of_files_of_schedules_where_they_are_asked_for) {
  watch(WatchedFiles::packages_and_schedules);
  save("nightly.yaml");
  save("team/jobs.json");
  save("notes.txt");

  EXPECT_THAT(changes(), ElementsAre(files_in("."), files_in("team")));
}

TEST_F(FolderWatcherTest, waits_while_a_file_is_being_written) {
  watch();
  std::ofstream file{folder_.path() / "daily/pipeline.yaml"};
  file << "name" << std::flush;
  watcher_->take_events(0ms);
  file << ": a" << std::flush;
  watcher_->take_events(400ms);

  EXPECT_EQ(watcher_->next_due(), 900ms);
}

TEST_F(FolderWatcherTest, counts_everything_as_changed_when_events_were_lost) {
  std::size_t limit = 0;
  std::ifstream{"/proc/sys/fs/inotify/max_queued_events"} >> limit;
  if (limit == 0 || limit > 100'000) GTEST_SKIP() << "the queue of events cannot be filled";
  watch();
  // Each save is at least two events. Equal ones in a row are one, so two files take turns.
  fs::create_directory(folder_.path() / "late");
  for (std::size_t i = 0; i < limit / 2; ++i) {
    const std::string name = folder_.path() / (i % 2 == 0 ? "daily/a" : "daily/b");
    std::ofstream{name} << 'x';
  }

  const auto changed = changes();

  EXPECT_NE(std::ranges::find(changed, all_below(".")), changed.end());
  save("late/pipeline.yaml");
  EXPECT_THAT(changes(), ElementsAre(files_in("late")));
}

TEST_F(FolderWatcherTest, of_a_folder_that_is_not_there_is_an_error) {
  EXPECT_FALSE(FolderWatcher::open(folder_.path() / "none", WatchedFiles::packages));
}

}  // namespace
}  // namespace carillon::packages
