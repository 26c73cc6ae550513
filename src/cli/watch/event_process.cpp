#include "cli/watch/event_process.hpp"

#include "cli/connection/event_following.hpp"
#include "client/curl_transport.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace carillon::cli {

namespace {

/// In the child: a byte for every event, until nobody reads them or the server is gone for good.
void tell_events(const Endpoint& endpoint, int told) {
  CurlTransport transport;
  Client client{transport, endpoint};
  PollBackoff backoff;
  static_cast<void>(follow_events(
      client, {},
      [told](const ServerEvent& event) {
        return event.name == "run.progress" || ::write(told, "!", 1) == 1 || errno == EAGAIN;
      },
      [](const Error&) {}, backoff));
}

[[noreturn]] void be_the_child(const Endpoint& endpoint, int told, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  // The terminal is the parent's alone.
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  tell_events(endpoint, told);
  ::_exit(0);
}

}  // namespace

EventProcess::EventProcess(const Endpoint& endpoint) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) be_the_child(endpoint, ends[1], parent);
  ::close(ends[1]);
  descriptor_ = ends[0];
}

EventProcess::~EventProcess() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void EventProcess::drain() {
  std::array<char, 4096> told{};
  ssize_t length = 0;
  while ((length = ::read(descriptor_, told.data(), told.size())) > 0) continue;
  const bool has_ended = length == 0 || (errno != EAGAIN && errno != EINTR);
  if (has_ended) ::close(std::exchange(descriptor_, -1));
}

}  // namespace carillon::cli
