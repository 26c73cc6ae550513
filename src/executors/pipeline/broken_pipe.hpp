#pragma once

#include <signal.h>

#include <ctime>

namespace carillon::pipeline {

/// While it exists, a write of this thread to a pipe or connection that nobody reads any more is an error like others,
/// and no signal.
class BrokenPipeBlocked {
 public:
  BrokenPipeBlocked() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  BrokenPipeBlocked(const BrokenPipeBlocked&) = delete;
  BrokenPipeBlocked& operator=(const BrokenPipeBlocked&) = delete;
  ~BrokenPipeBlocked() {
    // One that has come is for nobody else.
    const timespec no_time{};
    while (::sigtimedwait(&signals_, nullptr, &no_time) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

}  // namespace carillon::pipeline
