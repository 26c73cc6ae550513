#pragma once

#include "files/file_descriptor.hpp"

#include <signal.h>

#include <functional>
#include <stop_token>
#include <thread>

namespace carillon::cli {

/// While it exists, the first Ctrl-C, SIGTERM or SIGHUP ends nothing and requests a stop; the second ends the process
/// as always. To be made before the threads of the work that is to be stopped: they inherit that the signals are not
/// for them.
class Interrupts {
 public:
  /// `on_first` is called from a thread of its own.
  explicit Interrupts(std::function<void()> on_first);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  void watch();

  std::function<void()> on_first_;
  std::stop_source stop_;
  sigset_t signals_{};
  sigset_t before_{};
  FileDescriptor arrivals_;  // readable when a signal has come
  FileDescriptor end_;       // readable when there is nothing to watch for any more
  std::jthread thread_;
};

}  // namespace carillon::cli
