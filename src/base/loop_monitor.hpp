#pragma once

#include "base/instant.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace carillon {

/// Knows every loop of a process and when each has last given a sign of life, so that one that hangs is noticed though
/// all others go on. A loop beats with each of its turns, and at least every few seconds while it has nothing to do.
///
/// Time is that of the process: while a machine is suspended nothing grows old.
class LoopMonitor {
  struct Entry;

 public:
  /// The sign of life of one loop, which is watched for as long as this exists. One without a monitor does nothing.
  class Pulse {
   public:
    Pulse() = default;

    /// From any thread, cheap.
    void beat() const;
    /// Waits for work, for as long as it likes: nothing is expected until the next beat. For what is no loop and has
    /// nobody who could beat meanwhile.
    void rest() const;

   private:
    friend class LoopMonitor;
    explicit Pulse(std::shared_ptr<Entry> entry) : entry_{std::move(entry)} {}
    std::shared_ptr<Entry> entry_;
  };

  struct State {
    std::string name;
    Duration silence{};  // since its last sign of life; nothing while it rests
    bool is_stalled = false;
  };

  /// A loop that gives no sign of life for `silence_max` stands still. `now` is a clock that never goes back; given by
  /// tests.
  explicit LoopMonitor(Duration silence_max = std::chrono::seconds{30}, std::function<Duration()> now = {});

  /// `patience` allows a loop that many times the usual silence. Loops of one name are told as one, by the one that has
  /// been silent for longest.
  [[nodiscard]] Pulse add(std::string name, int patience = 1);

  /// All loops there are, by name.
  [[nodiscard]] std::vector<State> states() const;
  /// Those that stand still.
  [[nodiscard]] std::vector<State> stalled() const;

 private:
  const Duration silence_max_;
  const std::function<Duration()> now_;
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Entry>> entries_;  // guarded
};

/// A pulse of a monitor that may be none.
[[nodiscard]] LoopMonitor::Pulse pulse_of(LoopMonitor* monitor, std::string name, int patience = 1);

/// What the calling thread is called in lists of threads, as far as the system has room for it.
void name_this_thread(const std::string& name);

/// A thread of that name with a loop, `void(const std::stop_token&, const LoopMonitor::Pulse&)`. It is watched before
/// it begins, so that one which never gets going is noticed too.
template <typename Loop>
[[nodiscard]] std::jthread watched_thread(LoopMonitor* monitor, std::string name, Loop loop) {
  LoopMonitor::Pulse pulse = pulse_of(monitor, name);
  return std::jthread{
      [pulse = std::move(pulse), name = std::move(name), loop = std::move(loop)](const std::stop_token& token) mutable {
        name_this_thread(name);
        loop(token, pulse);
      }};
}

/// `worker for 42s, decider for 31s`.
[[nodiscard]] std::string to_text(const std::vector<LoopMonitor::State>& stalled);

/// How long a loop may wait for work at a time, so that it beats often enough.
inline constexpr Duration pulse_interval = std::chrono::seconds{1};

}  // namespace carillon
