#pragma once

#include "base/error.hpp"
#include "base/loop_monitor.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/write_queue.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

namespace carillon::sqlite {

/// Copies the write-ahead log to the file on a thread of its own. First beside the writer, which meanwhile goes on;
/// then what has come since while the writer stands still, which is little: only a log that is copied to its end begins
/// anew, and one that does not would grow for ever.
class Checkpointer {
 public:
  using Open = std::function<Result<std::unique_ptr<Connection>>()>;

  Checkpointer(Open open, WriteQueue& writer, std::size_t page_count_max);
  ~Checkpointer();

  /// Says how long the log is.
  void note_log(std::size_t page_count);

  /// Its thread is watched, as `store-copy`.
  void watch(LoopMonitor& loops);

 private:
  void work(const std::stop_token& stop);
  [[nodiscard]] bool try_copy();
  [[nodiscard]] Result<> copy();

  Open open_;
  std::unique_ptr<Connection> connection_;
  WriteQueue& writer_;
  const std::size_t page_count_max_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  LoopMonitor::Pulse pulse_;    // guarded, as the next two
  std::size_t page_count_ = 0;  // of the log
  std::size_t done_at_ = 0;     // how long it was when it was last copied
  std::jthread thread_;
};

}  // namespace carillon::sqlite
