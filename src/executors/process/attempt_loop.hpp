#pragma once

#include "base/instant.hpp"
#include "executors/process/channel.hpp"
#include "executors/process/file_descriptor.hpp"
#include "executors/process/inbox.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/program.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace carillon {

/// The world of the executor's one thread: attempts that wait or run, their output, and the launcher's answers.
class AttemptLoop {
 public:
  AttemptLoop(Clock& clock, AttemptEvents& events, const Launcher::Sockets& launcher, Inbox& inbox,
              std::atomic<bool>& is_healthy, std::function<void()> on_launcher_lost);

  /// Until asked to stop, which a wake-up of the inbox must follow.
  void run(const std::stop_token& stop);

 private:
  struct Attempt {
    AttemptKey key;
    Duration launch_before{};
    std::optional<std::string> input;
    Program program;  // until it is sent
    Mark mark;
    bool is_sent = false;
    std::array<FileDescriptor, 2> output{};  // by OutputStream
  };

  [[nodiscard]] bool watch(int file, std::uint64_t token);
  void close_output(Attempt& attempt, OutputStream stream);
  void handle(std::uint64_t token, std::uint32_t events);

  void take_wishes();
  void grant(LaunchWish wish);
  void grant(const StopWish& wish);
  void send_what_waits();
  [[nodiscard]] bool send(const Request& request);
  [[nodiscard]] Result<Transfer> send_launch(LaunchId id, Attempt& attempt);
  void wait_to_send(bool is_waiting);

  void read_replies();
  void hear(const Ready& reply);
  void hear(const Launched& reply);
  void hear(const Refused& reply);
  void hear(const Ended& reply);
  void lose_launcher();

  /// One piece of output; false when there is none for now, or ever.
  bool read_output(Attempt& attempt, OutputStream stream);
  void drain(Attempt& attempt, OutputStream stream);
  void end(LaunchId id, AttemptEnd end);

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
  std::deque<StopRequest> stops_;     // to be passed on
  std::deque<LaunchId> waiting_;      // to be launched
  std::size_t unanswered_count_ = 0;  // launches sent and not answered
  bool is_waiting_to_send_ = false;
  std::vector<char> buffer_;
};

}  // namespace carillon
