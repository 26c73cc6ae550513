#include "packages/watched_folder.hpp"

#include "watched_folder_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::packages {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class WatchedFolderTest : public carillon::testing::WatchedFolderFixture {
 protected:
  void open() {
    folder_.emplace(WatchedFolderParts{.schedules = schedules_,
                                       .runs = runs_,
                                       .feed = store_,
                                       .notifier = store_.ports().notifier,
                                       .faults = faults_,
                                       .clock = clock_,
                                       .log = log_},
                    ClaimedFolder::claim(watched_.path(), WatchedFiles::packages, clock_).value(),
                    PackageFolder{watched_.path(), {}}, own_.path() / "earlier");
    ASSERT_TRUE(folder_->open());
    folder_->turn();
  }
  /// What has changed is seen, and half a second later read.
  void settle() {
    folder_->turn();
    clock_.advance(1s);
    folder_->turn();
  }

  std::optional<WatchedFolder> folder_;
};

TEST_F(WatchedFolderTest, what_was_there_is_in_force_and_has_a_state_file) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  open();

  EXPECT_THAT(cron_of("daily"), ElementsAre("0 9 * * *"));
  EXPECT_THAT(state_text("daily"), HasSubstr(R"("status": "idle")"));
}

TEST_F(WatchedFolderTest, a_saved_file_is_in_force_when_it_has_been_quiet) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  open();
  watched_.write("daily/pipeline.yaml", package("0 10 * * *"));
  folder_->turn();
  clock_.advance(499ms);
  folder_->turn();
  EXPECT_THAT(cron_of("daily"), ElementsAre("0 9 * * *"));

  clock_.advance(1ms);
  folder_->turn();

  EXPECT_THAT(cron_of("daily"), ElementsAre("0 10 * * *"));
}

TEST_F(WatchedFolderTest, a_new_package_gets_its_schedule_and_its_state_file) {
  open();
  watched_.write("team/new/pipeline.yaml", package("0 9 * * *"));
  settle();

  EXPECT_THAT(state_text("team/new"), HasSubstr(schedule_id_of("team/new").text()));
}

TEST_F(WatchedFolderTest, what_a_user_does_is_in_the_state_file) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  open();
  must(schedules_.pause(admin(), name_of("daily"), {}, {}));
  settle();

  EXPECT_THAT(state_text("daily"), HasSubstr(R"("status": "paused")"));
}

TEST_F(WatchedFolderTest, a_deleted_package_is_gone_after_its_time_of_grace) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  open();
  watched_.remove("daily");
  settle();
  EXPECT_TRUE(exists("daily"));
  ASSERT_TRUE(folder_->next_turn());

  clock_.advance(10min);
  folder_->turn();

  EXPECT_FALSE(exists("daily"));
}

TEST_F(WatchedFolderTest, a_folder_that_is_away_for_a_while_is_watched_again) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  open();
  const std::filesystem::path away = own_.path() / "away";
  std::filesystem::rename(watched_.path(), away);
  settle();
  clock_.advance(1h);
  folder_->turn();
  EXPECT_TRUE(exists("daily"));

  std::filesystem::rename(away, watched_.path());
  clock_.advance(3s);
  folder_->turn();
  watched_.write("daily/pipeline.yaml", package("0 10 * * *"));
  settle();

  EXPECT_THAT(cron_of("daily"), ElementsAre("0 10 * * *"));
  EXPECT_THAT(faults_.all(), IsEmpty());
}

TEST_F(WatchedFolderTest, many_changes_at_once_are_all_seen) {
  for (int i = 0; i < 50; ++i) watched_.write(fmt::format("p{}/pipeline.yaml", i), package("0 9 * * *"));
  open();
  for (int i = 0; i < 50; i += 2) watched_.remove(fmt::format("p{}", i));
  for (int i = 1; i < 50; i += 2) watched_.write(fmt::format("p{}/pipeline.yaml", i), package("0 10 * * *"));
  settle();
  clock_.advance(10min);
  folder_->turn();

  for (int i = 0; i < 50; ++i) {
    const std::string path = fmt::format("p{}", i);
    if (i % 2 == 0)
      EXPECT_FALSE(exists(path)) << path;
    else
      EXPECT_THAT(cron_of(path), ElementsAre("0 10 * * *")) << path;
  }
}

TEST_F(WatchedFolderTest, a_second_scheduler_is_refused_and_the_heartbeat_goes_on) {
  open();
  const auto second = ClaimedFolder::claim(watched_.path(), WatchedFiles::packages, clock_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);

  clock_.advance(10s);
  folder_->turn();

  std::ifstream stream{watched_.path() / ".scheduler.lock"};
  const std::string text{std::istreambuf_iterator<char>{stream}, {}};
  EXPECT_THAT(text, HasSubstr(R"("heartbeat": "2026-06-01T12:00:10.000Z")"));
  folder_.reset();
  EXPECT_FALSE(std::filesystem::exists(watched_.path() / ".scheduler.lock"));
}

TEST_F(WatchedFolderTest, its_thread_writes_the_last_state_before_it_ends) {
  watched_.write("daily/pipeline.yaml", package("0 9 * * *"));
  open();
  folder_->start();
  must(schedules_.pause(admin(), name_of("daily"), {}, {}));
  folder_->stop();

  EXPECT_THAT(state_text("daily"), HasSubstr(R"("status": "paused")"));
}

}  // namespace
}  // namespace carillon::packages
