#pragma once

#include "base/instant.hpp"
#include "base/loop_monitor.hpp"
#include "executors/process/channel.hpp"
#include "executors/process/detached_work.hpp"
#include "executors/process/inbox.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/program.hpp"
#include "files/file_descriptor.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace carillon {

/// The world of one thread of the executor, for one launcher: attempts that wait or run, their output, and the
/// launcher's answers.
class AttemptLoop {
 public:
  AttemptLoop(Clock& clock, AttemptEvents& events, const Launcher::Sockets& launcher, Inbox& inbox,
              std::atomic<bool>& is_healthy, std::function<void()> on_launcher_lost);
  /// For the launcher of an earlier server, which launches nothing any more.
  AttemptLoop(Clock& clock, AttemptEvents& events, EarlierLauncher& launcher, Inbox& inbox,
              std::atomic<bool>& is_healthy);

  /// Until asked to stop, which a wake-up of the inbox must follow. Then the launcher is told to end everything, unless
  /// it is an earlier server's of whose commands none was resumed.
  void run(const std::stop_token& stop, const LoopMonitor::Pulse& pulse);

 private:
  AttemptLoop(Clock& clock, AttemptEvents& events, int control_socket, int launch_socket, Inbox& inbox,
              std::atomic<bool>& is_healthy, std::function<void()> on_launcher_lost);

  struct Attempt {
    AttemptKey key;
    Duration launch_before{};
    Duration ordered_at{};
    std::optional<std::string> input;
    Program program;  // until it is sent
    LaunchTag tag;
    bool is_sent = false;
    std::array<FileDescriptor, 2> output{};  // by OutputStream
    std::optional<DetachTerms> keeping{};    // it may outlive this server, and be told to a later one
    bool is_given_up = false;                // its end need not be kept

    // Of a detached attempt.
    bool is_held_back = false;              // not resumed yet: nobody expects to hear of it
    bool is_let_go = false;                 // nobody will ever want to hear of it
    std::vector<DetachedOutput> printed{};  // before we came
    std::optional<AttemptEnd> held_end{};   // while it was held back
  };

  [[nodiscard]] bool watch(int file, std::uint64_t token);
  void close_output(Attempt& attempt, OutputStream stream);
  void handle(std::uint64_t token, std::uint32_t events);

  void take_commands();
  void grant(LaunchCommand command);
  void grant(const StopCommand& command);
  void grant(const ResumeCommand& command);
  void grant(const ReleaseCommand& command);
  void grant(const RecordedCommand& command);
  void grant(const ReportEndCommand& command);
  void note_taken();
  void send_what_waits();
  [[nodiscard]] bool send(const LauncherRequest& request);
  [[nodiscard]] Result<PacketStatus> send_launch(LaunchId id, Attempt& attempt);
  [[nodiscard]] bool is_over(LaunchId id, const Attempt& attempt, Duration launch_before);
  void wait_to_send(bool is_waiting);
  void watch_output(LaunchId id, Attempt& attempt);
  void dismiss_launcher();

  void read_replies();
  void hear(const LauncherReady& reply);
  void hear(const LaunchBegan& reply);
  void hear(const LaunchRefused& reply);
  void hear(const LaunchEnded& reply);
  void hear(const DetachedLaunchInfo& reply);
  void hear(const DetachedOutput& reply);
  void hear(const DetachedListEnd& reply);
  void lose_launcher();

  /// One piece of output; false when there is none for now, or ever.
  bool read_output(Attempt& attempt, OutputStream stream);
  void drain(Attempt& attempt, OutputStream stream);
  void end(LaunchId id, AttemptEnd end);
  void note_end(LaunchId id, const Attempt& attempt);

  Clock& clock_;
  AttemptEvents& events_;
  int control_socket_;
  int launch_socket_;
  Inbox& inbox_;
  std::atomic<bool>& is_healthy_;
  std::function<void()> on_launcher_lost_;
  FileDescriptor poll_;
  std::map<LaunchId, Attempt> attempts_;
  std::map<AttemptKey, LaunchId> launches_;
  std::uint64_t launch_count_ = 0;
  std::optional<Duration> lease_;  // the newest
  bool is_lease_sent_ = true;
  std::map<AttemptKey, LaunchId> unrecorded_;  // ended, and kept by the launcher until the store has it
  bool is_to_be_dismissed_ = true;
  std::deque<LauncherRequest> requests_;  // to be passed on
  std::deque<LaunchId> waiting_;          // to be launched
  std::size_t unanswered_count_ = 0;      // launches sent and not answered
  bool is_waiting_to_send_ = false;
  std::vector<char> buffer_;
};

}  // namespace carillon
