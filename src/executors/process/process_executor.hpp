#pragma once

#include "executors/process/detached_work.hpp"
#include "executors/process/inbox.hpp"
#include "executors/process/launcher.hpp"
#include "executors/process/masked_events.hpp"
#include "executors/process/process_options.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace carillon {

/// Performs commands as processes of this machine, started by a launcher.
///
/// `launched` is told when the program has begun; an attempt whose program cannot be started ends as failed without it.
/// `ended` is told when nothing is left of what the attempt has started. Output is passed on as it comes and never
/// stored here: a slow receiver slows the commands down. Secrets of the assignment are hidden in it and in errors.
///
/// Commands with `onOwnerLoss: adopt` outlive a server that dies, and the next one resumes them (detached_work.hpp).
/// What is neither resumed nor let go when the executor is destroyed stays as it was found.
///
/// When it is destroyed everything that still runs is ended, without a word to the events.
class ProcessExecutor final : public Executor {
 public:
  /// The clock's since_boot is CLOCK_BOOTTIME of this machine: the launcher goes by that, whatever this process does.
  ProcessExecutor(Clock& clock, AttemptEvents& events, Launcher launcher, ProcessOptions options = {},
                  DetachedWork detached = {});
  ProcessExecutor(const ProcessExecutor&) = delete;
  ProcessExecutor& operator=(const ProcessExecutor&) = delete;
  ~ProcessExecutor() override;

  /// Commands only. Looks up users on the calling thread.
  void launch(Assignment assignment) override;
  void stop(const AttemptKey& key, Stop how) override;
  /// DetachedWork have no lease: nobody but this server can be theirs.
  void extend_until(Duration since_boot) override;
  void resume(Assignment assignment) override;
  void recorded(const AttemptKey& key) override;
  /// Ends a detached attempt that is nobody's any more, or forgets how it ended, without a word to the events.
  void let_go(const AttemptKey& key);

  /// Whether there is a launcher; without one nothing can be launched until the server is started anew.
  [[nodiscard]] bool is_healthy() const { return is_healthy_; }

 private:
  /// The way to the launcher of an earlier server.
  struct Link {
    EarlierLauncher launcher;
    std::set<AttemptKey> keys{};
    Inbox inbox{};
    std::atomic<bool> is_healthy{true};
    std::jthread thread{};
  };

  void put(const AttemptKey& key, ExecutorCommand command);

  Clock& clock_;
  MaskedEvents events_;
  ProcessOptions options_;
  Launcher launcher_;
  Inbox inbox_;
  std::atomic<bool> is_healthy_{true};
  std::vector<std::unique_ptr<Link>> links_;
  std::optional<DetachedFiles> files_;
  std::jthread thread_;

  std::mutex mutex_;
  std::map<AttemptKey, std::optional<DetachedEnd>> ends_;  // on disk; none once it has been told
};

}  // namespace carillon
