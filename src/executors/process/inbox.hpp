#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/run.hpp"
#include "executors/process/messages.hpp"
#include "executors/process/program.hpp"
#include "files/file_descriptor.hpp"
#include "ports/executor.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace carillon {

/// An attempt ready to be launched, or the reason why it cannot be.
struct LaunchCommand {
  AttemptKey key;
  Duration launch_before{};
  Duration ordered_at{};  // by boot_now
  std::optional<std::string> input{};
  Result<Program> program;
  std::optional<DetachTerms> keeping{};
};
struct StopCommand {
  AttemptKey key;
  Stop how = Stop::none;
};
/// A detached attempt is to be gone on with.
struct ResumeCommand {
  AttemptKey key;
};
/// A detached attempt that is nobody's any more is to be ended, without a word.
struct ReleaseCommand {
  AttemptKey key;
};
/// The end of an attempt is in the store.
struct RecordedCommand {
  AttemptKey key;
};
/// An end that was kept on disk is to be told.
struct ReportEndCommand {
  DetachedEnd end;
};
using ExecutorCommand =
    std::variant<LaunchCommand, StopCommand, ResumeCommand, ReleaseCommand, RecordedCommand, ReportEndCommand>;

/// What callers want of the executor's thread, in the order they said it.
class Inbox {
 public:
  struct Contents {
    std::vector<ExecutorCommand> commands;
    std::optional<Duration> lease;  // the newest
  };

  Inbox();

  void put(ExecutorCommand command);
  void put_lease(Duration until);
  /// Makes `event` readable though there is nothing new.
  void wake() const;

  /// Readable when there is something to take.
  [[nodiscard]] int event() const { return event_.get(); }
  [[nodiscard]] Contents take();

 private:
  FileDescriptor event_;

  std::mutex mutex_;
  Contents contents_;
};

}  // namespace carillon
