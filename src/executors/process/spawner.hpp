#pragma once

#include "base/instant.hpp"
#include "executors/process/channel.hpp"
#include "executors/process/control_groups.hpp"
#include "executors/process/detached_launches.hpp"
#include "executors/process/folder_hiding.hpp"
#include "executors/process/hiding.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/spawn.hpp"
#include "files/file_descriptor.hpp"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace carillon {

/// What became of a launch.
struct SpawnReport {
  LaunchId id{};
  pid_t pid = -1;          // to be waited for, if there is one
  Stop stop = Stop::none;  // asked for meanwhile

  // Of one that was started. Its server has been told if `is_announced`; its end is an event of the poll if
  // `is_watched`.
  FileDescriptor process{};
  Duration begun{};  // no process of this launch is older
  LaunchTag tag{};
  bool is_announced = false;
  bool is_watched = false;

  std::optional<DetachedLaunch> kept{};  // if it may outlive its server

  std::optional<LaunchRefused> refused{};  // why it was not started, if it was not
};

/// Starts programs one by one, as they are asked for, on a thread of its own: the guard stays free to end others even
/// if a file system lets a start hang. All programs are children of this thread, and orphans are not; so they can be
/// told apart.
class Spawner {
 public:
  struct Places {
    int launches;  // where requests come from
    int replies;   // where their server is told that a program has begun
    int poll;      // of the guard, who gets an event with the launch's id when the program ends
  };

  struct Rules {
    rlimit file_limit{};                    // of programs that have none of their own
    std::filesystem::path hidden_folder{};  // kept from programs; empty: none
  };

  Spawner(Places places, const Rules& rules, const ControlGroups& groups, DetachedLaunches& keeper);
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  /// How the hidden folder is kept from programs; waits until that is known, the first time.
  [[nodiscard]] const Hiding& hiding() const { return hiding_.get(); }

  /// Readable when there is a report that the guard must see at once. Others can wait until it looks.
  [[nodiscard]] int event() const { return event_.get(); }
  [[nodiscard]] std::vector<SpawnReport> take_reports();

  /// For a launch that has not been reported: it is not started, or its report says that it is to be stopped. False if
  /// it has been.
  [[nodiscard]] bool stop(LaunchId id, Stop how);
  /// While full, nothing is started.
  void set_full(bool is_full) { is_full_ = is_full; }
  /// Nothing is started any more.
  void close();

  /// What `work` says, if nothing is under way and all has been taken; else false. Nothing is started meanwhile.
  template <typename Work>
  [[nodiscard]] bool while_idle(Work work) {
    const std::lock_guard lock{mutex_};
    return reports_.empty() && !current_begun_ && work();
  }
  /// The time before which nothing began that has not been reported yet; none if all has.
  [[nodiscard]] std::optional<Duration> oldest_unreported();
  /// Ends a child that is still on its way to become a program, if there is one; which one, or -1.
  pid_t end_child_on_its_way();
  /// Whether what is being started may outlive its server.
  [[nodiscard]] bool is_starting_kept() const { return is_starting_kept_; }

 private:
  void run(const std::stop_token& stop);
  void stay(const std::stop_token& stop);
  [[nodiscard]] std::optional<LaunchRefused> begin(LaunchId id, Duration now);
  [[nodiscard]] SpawnReport start(LaunchRequest request, std::vector<FileDescriptor> files, Duration begun);
  [[nodiscard]] Result<> prepare_to_keep();
  /// What a program is born into.
  struct Place {
    FileDescriptor group;  // of control groups, if they are in use
    int ruleset = -1;
  };
  [[nodiscard]] Result<Place> place_for(const LaunchRequest& request);
  void report(SpawnReport report);

  Places places_;
  rlimit file_limit_;
  const ControlGroups& groups_;
  DetachedLaunches& detached_;
  FileDescriptor nothing_;  // reads as empty
  FileDescriptor event_;
  Spawning spawning_;
  FolderHiding folder_hiding_;
  std::promise<Hiding> hiding_promise_;
  std::shared_future<Hiding> hiding_{hiding_promise_.get_future()};
  std::atomic<bool> is_full_ = false;
  std::atomic<bool> is_starting_kept_ = false;

  std::mutex mutex_;
  std::vector<SpawnReport> reports_;
  LaunchId newest_{};                      // begun; they come in order
  std::optional<Duration> current_begun_;  // of the newest, until it is reported
  std::map<LaunchId, Stop> stops_;         // of the newest and of those that have not come yet
  bool is_closed_ = false;

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace carillon
