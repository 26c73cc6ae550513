#include "cli/terminal/interrupts.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace carillon::cli {

namespace {

/// Ends the process by a signal, as if nobody had watched for it.
void end_by(int number) {
  ::signal(number, SIG_DFL);
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, number);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::kill(::getpid(), number);
}

}  // namespace

Interrupts::Interrupts(std::function<void()> on_first) : on_first_{std::move(on_first)} {
  ::sigemptyset(&signals_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, number);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  arrivals_ = FileDescriptor{::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK)};
  end_ = FileDescriptor{::eventfd(0, EFD_CLOEXEC)};
  if (!arrivals_.is_open() || !end_.is_open())
    throw std::system_error{errno, std::generic_category(), "cannot watch for Ctrl-C"};
  thread_ = std::jthread{[this] { watch(); }};
}

Interrupts::~Interrupts() {
  (void)!::eventfd_write(end_.get(), 1);
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupts::watch() {
  for (;;) {
    std::array<pollfd, 2> files{pollfd{arrivals_.get(), POLLIN, 0}, pollfd{end_.get(), POLLIN, 0}};
    if (::poll(files.data(), files.size(), -1) < 0) continue;
    if (files[1].revents != 0) return;
    signalfd_siginfo arrived{};
    if (::read(arrivals_.get(), &arrived, sizeof arrived) != sizeof arrived) continue;
    if (stop_.stop_requested()) return end_by(static_cast<int>(arrived.ssi_signo));
    if (on_first_) on_first_();
    stop_.request_stop();
  }
}

}  // namespace carillon::cli
