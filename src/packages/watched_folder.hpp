#pragma once

#include "base/error.hpp"
#include "base/loop_monitor.hpp"
#include "files/file_descriptor.hpp"
#include "packages/file_faults.hpp"
#include "packages/folder_watcher.hpp"
#include "packages/package_folder.hpp"
#include "packages/package_state_files.hpp"
#include "packages/package_sync.hpp"
#include "packages/scheduler_lock.hpp"
#include "packages/state_projection.hpp"
#include "ports/clock.hpp"
#include "ports/event_feed.hpp"
#include "ports/log.hpp"
#include "ports/notifier.hpp"
#include "service/runs.hpp"
#include "service/schedules.hpp"

#include <atomic>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace carillon::packages {

/// A folder that this process alone schedules, opened before there is a server: what is refused here (another scheduler
/// has it, it is not there) is refused before anything else is touched.
struct ClaimedFolder {
  SchedulerLock lock;
  FolderWatcher watcher;

  [[nodiscard]] static Result<ClaimedFolder> claim(const std::filesystem::path& folder, WatchedFiles which,
                                                   Clock& clock, Duration heartbeat_age_max = HeartbeatTimes{}.age_max);
};

/// What a watched folder needs of its server. All of it outlives the folder.
struct WatchedFolderParts {
  Schedules& schedules;
  Runs& runs;
  EventFeed& feed;
  Notifier& notifier;
  FileFaults& faults;
  Clock& clock;
  Log& log;
  LoopMonitor* loops = nullptr;
  OnPackageChange on_change{};
};

struct WatchedFolderOptions {
  Duration grace = removal_grace;
  Duration heartbeat_interval = HeartbeatTimes{}.interval;
  std::size_t history_count = history_count_default;  // of runs in a state file
};

/// Keeps a store and a folder alike: schedules as the files say, state files as the ledger says, the lock's heartbeat.
/// One thread does all of it, from `start` on.
class WatchedFolder {
 public:
  /// `earlier_states` is a folder of the server's own (see PackageStateFiles).
  WatchedFolder(const WatchedFolderParts& parts, ClaimedFolder claimed, PackageFolder folder,
                std::filesystem::path earlier_states, const WatchedFolderOptions& options = {});
  WatchedFolder(const WatchedFolder&) = delete;
  WatchedFolder& operator=(const WatchedFolder&) = delete;
  ~WatchedFolder();

  struct FirstRead {
    SyncCounts counts;
    std::size_t package_count = 0;
    std::vector<FiledSchedule> schedules;
  };
  /// Reads the whole folder and puts the schedules of its files in force. To be called once, before `start`.
  [[nodiscard]] Result<FirstRead> open();

  void start();
  /// Writes the state files a last time. Safe twice and before `start`.
  void stop();

  /// Does what is due now; `start` calls it again and again. For tests without the thread.
  void turn();
  /// When the next turn has something to do, by Clock::since_boot, apart from what files and the store tell.
  [[nodiscard]] std::optional<Duration> next_turn() const;

 private:
  void run(const std::stop_token& token, const LoopMonitor::Pulse& pulse);
  void wait(Duration longest) const;
  void read_changes(Duration now);
  void read(std::vector<FolderScope> scopes, Duration now);
  void beat(Duration now);

  const Duration heartbeat_interval_;
  Clock& clock_;
  Log& log_;
  LoopMonitor* loops_;
  FileDescriptor wake_;  // readable when the store has changed
  ClaimedFolder claimed_;
  PackageFolder folder_;
  PackageStateFiles states_;
  PackageSync sync_;
  StateProjection projection_;
  std::optional<Duration> rescan_at_;
  Duration beat_at_{};
  bool was_beaten_ = true;
  Duration projected_at_{};
  std::atomic<bool> is_store_changed_ = true;
  std::jthread thread_;
  NotifierSubscription changes_;  // last: it calls what stands above
};

}  // namespace carillon::packages
