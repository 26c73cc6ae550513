#pragma once

#include "base/instant.hpp"
#include "executors/process/control_groups.hpp"
#include "executors/process/detached_launches.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/process_tracker.hpp"
#include "executors/process/spawner.hpp"
#include "files/file_descriptor.hpp"

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace carillon {

/// The launcher at work: hands starts to its spawner, watches what was started, ends it when asked, when the lease is
/// over, or when the server has gone. Never blocks, unless there is no server and the disk is slow.
///
/// What may outlive its server goes on without it. A later server can take the place of the one that has gone: it gets
/// what was kept, may stop it, and is told how it ends.
class LaunchSupervisor {
 public:
  struct Rules {
    rlimit file_limit{};
    Duration grace{};
    std::filesystem::path kept_folder{};
    std::filesystem::path hidden_folder{};
  };

  /// The lock is given up when nothing is left of what was started, but for what outlives its server.
  LaunchSupervisor(const Launcher::Sockets& sockets, const ControlGroups& groups, const Rules& rules,
                   FileDescriptor lock);

  /// How the hidden folder is kept from programs; known before the first is started.
  [[nodiscard]] const Hiding& hiding() const { return spawner_.hiding(); }

  /// Returns when the server has gone, nothing is left of what was started, and what is kept is on disk or told to a
  /// later server. For the first thread of the process, with all signals blocked.
  void run();

  /// What the poll says when a later server comes.
  static constexpr std::uint64_t listener_token = ~std::uint64_t{4};

 private:
  /// A program that was started and all that came of it.
  struct SupervisedLaunch {
    pid_t pid = 0;
    FileDescriptor process;
    Duration begun{};
    StopCause cause = StopCause::none;
    bool is_program_over = false;
    int wait_status = 0;
    ResourceUse use{};
    std::optional<Duration> force_at{};  // when asking ends
    bool is_forced = false;
  };
  struct Outgoing {
    std::string bytes;
    std::vector<int> files{};
  };

  [[nodiscard]] bool watch(int file, std::uint64_t token);
  [[nodiscard]] bool watch_server();
  void wait_for_something();
  void handle(std::uint64_t token);

  void read_requests();
  void carry_out(const StopLaunchRequest& request);
  void carry_out(const ExtendRequest& request);
  void carry_out(const TakenRequest& request);
  void carry_out(const RecordedRequest& request);
  void carry_out(const DismissRequest& request);
  void carry_out(const LaunchRequest& request);
  void lose_server();

  // guard_keeping.cpp: life without the server that started it
  [[nodiscard]] bool is_kept(LaunchId id) const { return !is_dismissed_ && detached_.has(id); }
  void leave_alone(LaunchId id, SupervisedLaunch& launch);
  void keep_reading();
  void meet_later_server();
  void greet(FileDescriptor socket);
  void end_what_took_too_long(Duration now);
  void give_lock_up();
  [[nodiscard]] bool is_work_done();

  void take_reports();
  [[nodiscard]] bool was_cut_on_its_way(const SpawnReport& report);
  void begin_supervising(SpawnReport report);
  void stop(LaunchId id, SupervisedLaunch& launch, Stop how);
  void end_program(LaunchId id);
  void ask(LaunchId id, SupervisedLaunch& launch);
  void force(LaunchId id, SupervisedLaunch& launch);

  void end_what_is_over_time();
  void settle();
  void end_strays();
  [[nodiscard]] bool is_nobody_left();
  void set_timer();

  void reply(const LauncherReply& reply);
  void send_replies();

  [[nodiscard]] bool is_lease_over(Duration now) const { return lease_ && now > *lease_; }

  int server_;
  FileDescriptor later_server_;
  const ControlGroups& groups_;
  Duration grace_;
  FileDescriptor lock_;
  std::size_t launch_count_max_;
  FileDescriptor poll_;
  FileDescriptor child_signal_;
  FileDescriptor timer_;
  ProcessTracker processes_;
  DetachedLaunches detached_;
  Spawner spawner_;
  std::map<LaunchId, SupervisedLaunch> launches_;
  std::set<LaunchId> ending_;  // launches whose program is over, or which are being ended
  std::optional<Duration> lease_;
  std::optional<Duration> timer_at_;
  bool is_server_gone_ = false;
  pid_t cut_on_its_way_ = 0;      // ended when the lease was over, before it was reported
  bool was_left_ = false;         // by the server that started it
  bool is_dismissed_ = false;     // by its server: nothing outlives it
  bool is_only_keeping_ = false;  // everything else is gone
  bool is_listening_ = false;
  std::deque<Outgoing> replies_;  // not sent yet: few for each launch
  bool is_waiting_to_send_ = false;
};

}  // namespace carillon
