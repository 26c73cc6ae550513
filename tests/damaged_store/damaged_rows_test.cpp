#include "damaged_store/damages.hpp"
#include "damaged_store/everything_asked.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>

namespace carillon::testing {
namespace {

using ::testing::IsEmpty;

/// After so long one question has no answer.
constexpr unsigned patience_seconds = 30;

/// How far the child has come.
struct Progress {
  std::atomic<std::size_t> at = 0;
  std::atomic<std::size_t> made = 0;
};

class SharedProgress {
 public:
  SharedProgress()
      : progress_{new(::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
                      Progress} {}
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  ~SharedProgress() { ::munmap(progress_, sizeof(Progress)); }
  Progress* operator->() const { return progress_; }

 private:
  Progress* progress_;
};

/// Runs in a process of its own, so that its end can be seen. How it ended.
template <typename Work>
int status_of(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(DamagedStore, answers_or_refuses_whatever_value_stands_in_a_row) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "whole.db";
  ManualClock clock{parse_instant("2026-06-01T12:00:00Z").value()};
  PreparedStore prepared;
  {
    const auto store = SqliteStore::open(file, clock).value();
    prepared = fill(*store, clock);
  }
  DamagedCopies copies{file, folder.path()};
  EXPECT_THAT(copies.empty_tables(), IsEmpty()) << "every table needs a row that can be damaged";
  const auto damages = copies.damages();
  const Instant now = clock.now();
  SharedProgress progress;

  while (progress->at < damages.size()) {
    const int status = status_of([&] {
      const auto damaged = folder.path() / "damaged.db";
      for (; progress->at < damages.size(); ++progress->at) {
        ::alarm(patience_seconds);
        std::filesystem::remove(damaged.native() + "-wal");
        std::filesystem::remove(damaged.native() + "-shm");
        if (!copies.make(damages[progress->at], damaged)) continue;
        ++progress->made;
        ask_everything(damaged, prepared, now);
      }
    });
    if (status == 0) continue;
    ADD_FAILURE() << damages[progress->at].text() << ": "
                  << (WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
    ++progress->at;
  }

  EXPECT_GT(progress->made.load(), damages.size() / 2);
  RecordProperty("damages", static_cast<int>(progress->made));
  std::printf("%zu of %zu damages made\n", progress->made.load(), damages.size());
}

}  // namespace
}  // namespace carillon::testing
