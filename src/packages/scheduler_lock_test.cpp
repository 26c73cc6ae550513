#include "packages/scheduler_lock.hpp"

#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <unistd.h>

#include <fstream>
#include <iterator>

namespace carillon::packages {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class SchedulerLockTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / ".scheduler.lock"; }
  [[nodiscard]] std::string text() const {
    std::ifstream stream{file(), std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  Result<SchedulerLock> acquire() { return SchedulerLock::acquire(folder_.path(), clock_, self_); }
  void leave(const LockHolder& holder) const { folder_.write(".scheduler.lock", write_lock_holder(holder)); }

  ManualClock clock_{parse_instant("2026-01-26T08:00:00Z").value()};
  TemporaryFolder folder_;
  const ProcessIdentity self_{.pid = 4711, .hostname = "bell"};
  const pid_t living_ = ::getpid();
};

TEST_F(SchedulerLockTest, says_who_has_it_and_since_when) {
  auto lock = acquire();

  ASSERT_TRUE(lock) << lock.error().message;
  EXPECT_EQ(text(), R"({
  "pid": 4711,
  "hostname": "bell",
  "startedAt": "2026-01-26T08:00:00.000Z",
  "heartbeat": "2026-01-26T08:00:00.000Z"
}
)");
  clock_.advance(10s);
  ASSERT_TRUE(lock->beat(clock_.now()));
  EXPECT_THAT(text(), HasSubstr(R"("startedAt": "2026-01-26T08:00:00.000Z")"));
  EXPECT_THAT(text(), HasSubstr(R"("heartbeat": "2026-01-26T08:00:10.000Z")"));
}

TEST_F(SchedulerLockTest, is_refused_while_another_holds_it_however_old_the_heartbeat) {
  const auto first = acquire();
  clock_.advance(1h);

  const auto second = acquire();

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_THAT(second.error().message, HasSubstr("pid 4711 on host bell since 2026-01-26T08:00:00Z"));
  EXPECT_THAT(second.error().message, HasSubstr(file().string()));
}

TEST_F(SchedulerLockTest, is_free_again_when_its_holder_lets_go) {
  {
    const auto first = acquire();
  }

  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_TRUE(acquire());
}

TEST_F(SchedulerLockTest, respects_a_scheduler_that_knows_only_the_file) {
  struct Case {
    const char* what;
    LockHolder holder;
    bool is_refused;
  };
  const Instant now = clock_.now();
  const std::vector<Case> cases{{"alive and fresh", {living_, "bell", now - 1h, now - 59s}, true},
                                {"alive and stale", {living_, "bell", now - 1h, now - 60s}, false},
                                {"fresh and dead", {999'999'999, "bell", now - 1h, now - 5s}, false},
                                {"fresh on another host", {999'999'999, "tower", now - 1h, now - 5s}, true},
                                {"stale on another host", {999'999'999, "tower", now - 1h, now - 61s}, false},
                                {"a heartbeat from the future", {living_, "bell", now - 1h, now + 2h}, false},
                                {"our own number, of an earlier life", {4711, "bell", now - 1h, now - 5s}, false}};
  for (const auto& [what, holder, is_refused] : cases) {
    leave(holder);
    const auto lock = acquire();
    EXPECT_EQ(!lock.has_value(), is_refused) << what;
    EXPECT_THAT(lock ? holder.hostname : lock.error().message, HasSubstr(holder.hostname)) << what;
  }
}

TEST_F(SchedulerLockTest, takes_over_a_file_that_says_nothing_and_is_not_locked) {
  folder_.write(".scheduler.lock", "{\"pid\": 1");

  EXPECT_TRUE(acquire());
}

TEST_F(SchedulerLockTest, never_removes_a_file_that_is_not_its_own) {
  {
    auto lock = acquire();
    leave({living_, "tower", clock_.now(), clock_.now()});
    const auto beaten = lock->beat(clock_.now());
    ASSERT_FALSE(beaten);
    EXPECT_THAT(beaten.error().message, HasSubstr("was removed or replaced"));
  }

  EXPECT_THAT(text(), HasSubstr("tower"));
}

TEST_F(SchedulerLockTest, is_not_written_through_a_link) {
  folder_.write("target", "precious");
  std::filesystem::create_symlink(folder_.path() / "target", file());

  EXPECT_FALSE(acquire());
  EXPECT_EQ(std::filesystem::file_size(folder_.path() / "target"), 8U);
}

}  // namespace
}  // namespace carillon::packages
