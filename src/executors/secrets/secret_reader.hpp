#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "base/loop_monitor.hpp"
#include "definitions/action.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace carillon {

struct SecretReaderOptions {
  std::size_t thread_count_max = 8;  // as many files may hang before others have to wait
  Duration deadline = std::chrono::seconds{10};
  LoopMonitor* loops = nullptr;  // watches the thread that tells; those that read may hang
};

/// Reads secrets on threads of its own, so that a file system that does not answer stops nobody else.
///
/// Each reference is read by one thread at a time, whoever else wants it meanwhile gets the same secret; nothing is
/// kept afterwards. A read cannot be interrupted: one that takes longer than the deadline is given up, and its thread
/// is left behind until the system lets it go, also when this object, or the process, ends.
class SecretReader {
 public:
  /// May block, and is called from several threads, possibly after this object is gone.
  using Read = std::function<Result<std::string>(std::string_view reference)>;
  /// All secrets by their references, or why one of them cannot be had.
  using Done = std::function<void(Result<TextMap> secrets)>;

  explicit SecretReader(Read read, SecretReaderOptions options = {});
  SecretReader(const SecretReader&) = delete;
  SecretReader& operator=(const SecretReader&) = delete;
  /// Does not wait for reads under way; who waits for them is not called any more.
  ~SecretReader();

  /// Calls `done` once, from a thread of the reader which it must not hold up.
  void read(const std::vector<std::string>& references, Done done);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with threads that may never come back
  std::jthread thread_;
};

}  // namespace carillon
