#pragma once

#include "executors/process/inbox.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/process_options.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"

#include <atomic>
#include <thread>

namespace carillon {

/// Performs commands as processes of this machine, started by a launcher.
///
/// `launched` is told when the program has begun; an attempt whose program cannot be started ends as failed without it.
/// `ended` is told when nothing is left of what the attempt has started. Output is passed on as it comes and never
/// stored here: a slow receiver slows the commands down.
///
/// When it is destroyed everything that still runs is ended, without a word to the events.
class ProcessExecutor final : public Executor {
 public:
  /// The clock's since_boot is CLOCK_BOOTTIME of this machine: the launcher goes by that, whatever this process does.
  ProcessExecutor(Clock& clock, AttemptEvents& events, Launcher launcher, ProcessOptions options = {});
  ProcessExecutor(const ProcessExecutor&) = delete;
  ProcessExecutor& operator=(const ProcessExecutor&) = delete;
  ~ProcessExecutor() override;

  /// Commands only. Looks up users and secrets on the calling thread.
  void launch(Assignment assignment) override;
  void stop(const AttemptKey& key, Stop how) override;
  void extend_until(Duration since_boot) override;

  /// Whether there is a launcher; without one nothing can be launched until the server is started anew.
  [[nodiscard]] bool is_healthy() const { return is_healthy_; }

 private:
  Clock& clock_;
  AttemptEvents& events_;
  ProcessOptions options_;
  Launcher launcher_;
  Inbox inbox_;
  std::atomic<bool> is_healthy_{true};
  std::jthread thread_;
};

}  // namespace carillon
