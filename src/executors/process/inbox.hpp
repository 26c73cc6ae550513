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
struct LaunchWish {
  AttemptKey key;
  Duration launch_before{};
  Duration ordered_at{};  // by boot_now
  std::optional<std::string> input{};
  Result<Program> program;
  std::optional<Keeping> keeping{};
};
struct StopWish {
  AttemptKey key;
  Stop how = Stop::none;
};
/// A survivor is to be gone on with.
struct ResumeWish {
  AttemptKey key;
};
/// A survivor that is nobody's any more is to be ended, without a word.
struct LetGoWish {
  AttemptKey key;
};
/// The end of an attempt is in the store.
struct RecordedWish {
  AttemptKey key;
};
/// An end that was kept on disk is to be told.
struct TellWish {
  KeptEnd end;
};
using Wish = std::variant<LaunchWish, StopWish, ResumeWish, LetGoWish, RecordedWish, TellWish>;

/// What callers want of the executor's thread, in the order they said it.
class Inbox {
 public:
  struct Contents {
    std::vector<Wish> wishes;
    std::optional<Duration> lease;  // the newest
  };

  Inbox();

  void put(Wish wish);
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
