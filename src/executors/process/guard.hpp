#pragma once

#include "base/instant.hpp"
#include "executors/process/control_groups.hpp"
#include "executors/process/file_descriptor.hpp"
#include "executors/process/kin.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/spawner.hpp"

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace carillon {

/// The launcher at work: hands starts to its spawner, watches what was started, ends it when asked, when the lease is
/// over, or when the server has gone. Never blocks.
class Guard {
 public:
  Guard(const Launcher::Sockets& sockets, const ControlGroups& groups, const rlimit& file_limit, Duration grace);

  /// Returns when the server has gone and nothing is left of what was started. For the first thread of the process,
  /// with all signals blocked.
  void run();

 private:
  /// A program that was started and all that came of it.
  struct Charge {
    pid_t pid = 0;
    FileDescriptor process;
    Duration begun{};
    Ended::Cause cause = Ended::Cause::itself;
    bool is_program_over = false;
    int wait_status = 0;
    ResourceUse use{};
    std::optional<Duration> force_at{};  // when asking ends
    bool is_forced = false;
  };

  [[nodiscard]] bool watch(int file, std::uint64_t token);
  void wait_for_something();
  void handle(std::uint64_t token);

  void read_requests();
  void carry_out(const StopRequest& request);
  void carry_out(const ExtendRequest& request);
  void lose_server();

  void take_reports();
  void take_charge(SpawnReport report);
  void stop(LaunchId id, Charge& charge, Stop how);
  void end_program(LaunchId id);
  void ask(LaunchId id, Charge& charge);
  void force(LaunchId id, Charge& charge);

  void end_what_is_over_time();
  void settle();
  void end_strays();
  [[nodiscard]] bool is_nobody_left();
  void set_timer();

  void reply(const Reply& reply);
  void send_replies();

  [[nodiscard]] bool is_lease_over(Duration now) const { return lease_ && now > *lease_; }

  int server_;
  const ControlGroups& groups_;
  Duration grace_;
  std::size_t charge_count_max_;
  FileDescriptor poll_;
  FileDescriptor child_signal_;
  FileDescriptor timer_;
  Kin kin_;
  Spawner spawner_;
  std::map<LaunchId, Charge> charges_;
  std::set<LaunchId> ending_;  // charges whose program is over, or which are being ended
  std::optional<Duration> lease_;
  std::optional<Duration> timer_at_;
  bool is_server_gone_ = false;
  std::deque<std::string> replies_;  // not sent yet: at most two for each launch
  bool is_waiting_to_send_ = false;
};

}  // namespace carillon
