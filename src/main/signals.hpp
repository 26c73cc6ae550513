#pragma once

#include <signal.h>

#include <chrono>
#include <csignal>
#include <ctime>

namespace carillon {

/// The signals that a server or worker obeys, taken by waiting for them rather than by surprise.
class Signals {
 public:
  // To be made before there are threads: they inherit the mask.
  Signals() {
    ::sigemptyset(&signals_);
    ::sigaddset(&signals_, SIGINT);
    ::sigaddset(&signals_, SIGTERM);
    ::sigaddset(&signals_, SIGHUP);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  struct Received {
    int number = 0;  // 0: none has come
    int value = 0;   // of a signal that carries one: a cli::StopRequest

    [[nodiscard]] bool ends_process() const { return number == SIGINT || number == SIGTERM; }
  };
  [[nodiscard]] Received wait() const {
    siginfo_t info{};
    while (::sigwaitinfo(&signals_, &info) < 0) {
    }
    return received(info);
  }
  /// What has come within a moment.
  [[nodiscard]] Received wait(std::chrono::milliseconds length) const {
    const timespec time{.tv_sec = 0, .tv_nsec = length.count() * 1'000'000};
    siginfo_t info{};
    return ::sigtimedwait(&signals_, &info, &time) < 0 ? Received{} : received(info);
  }

 private:
  [[nodiscard]] static Received received(const siginfo_t& info) {
    return {.number = info.si_signo, .value = info.si_code == SI_QUEUE ? info.si_value.sival_int : 0};
  }

  sigset_t signals_{};
};

}  // namespace carillon
