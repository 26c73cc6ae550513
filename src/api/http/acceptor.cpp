#include "api/http/acceptor.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace carillon::http {
namespace {

/// Clients that are served already have their turn after so many new ones.
constexpr int batch_size = 64;
constexpr std::chrono::milliseconds pause_length{100};
/// So many idle connections make room for others when the process runs out of descriptors.
constexpr std::size_t closed_when_exhausted = 16;
constexpr std::chrono::seconds warning_interval{10};

/// What this process or machine lacks, and only waiting brings back. Everything else concerns one client alone.
bool is_exhaustion(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

/// Without descriptors to spare, accepting fails even if nobody waits.
bool has_waiting_client(int listening_socket) {
  pollfd poll{.fd = listening_socket, .events = POLLIN, .revents = 0};
  return ::poll(&poll, 1, 0) > 0;
}

}  // namespace

Acceptor::Acceptor(ServerState& server, std::vector<std::shared_ptr<Loop>> loops, std::vector<ListeningSocket> sockets)
    : server_{server}, loops_{std::move(loops)} {
  for (ListeningSocket& socket : sockets) {
    const bool is_tls = socket.is_tls();
    Protocol* const protocol = socket.protocol();
    const LoopExecutor executor = loops_.front()->executor();
    gates_.push_back({.descriptor{executor, socket.release()},
                      .pause_timer = LoopTimer{executor},
                      .is_tls = is_tls,
                      .protocol = protocol});
  }
}

Acceptor::~Acceptor() = default;

void Acceptor::start() {
  for (Gate& gate : gates_) wait(gate);
}

void Acceptor::stop() {
  is_stopped_ = true;
  for (Gate& gate : gates_) {
    while (accept_batch(gate) == Outcome::has_more) {
    }
    close(gate.descriptor.release());
    gate.pause_timer.cancel();
  }
}

void Acceptor::wait(Gate& gate) {
  gate.descriptor.async_wait(LoopDescriptor::wait_read,
                             [this, &gate](const boost::system::error_code&) { accept_some(gate); });
}

void Acceptor::accept_some(Gate& gate) {
  if (is_stopped_) return;
  if (accept_batch(gate) == Outcome::exhausted) return pause(gate);
  wait(gate);
}

Acceptor::Outcome Acceptor::accept_batch(Gate& gate) {
  for (int i = 0; i < batch_size; ++i) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    const int socket = accept4(gate.descriptor.native_handle(), reinterpret_cast<sockaddr*>(&address), &length,
                               SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      hand_over({.socket = socket, .peer = PeerAddress{address}, .is_tls = gate.is_tls, .protocol = gate.protocol});
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Outcome::would_block;
    } else if (is_exhaustion(errno)) {
      exhaustion_ = errno;
      return has_waiting_client(gate.descriptor.native_handle()) ? Outcome::exhausted : Outcome::would_block;
    }
  }
  return Outcome::has_more;
}

void Acceptor::hand_over(const Client& client) {
  Loop& loop = *loops_[next_loop_++ % loops_.size()];
  if (loop.is_this_thread()) return loop.adopt(client);
  const bool is_taken = loop.submit([&loop, client] { loop.adopt(client); });
  if (!is_taken) close(client.socket);
}

void Acceptor::pause(Gate& gate) {
  ++pause_count_;
  const auto now = std::chrono::steady_clock::now();
  if (last_warning_ == SteadyTime{} || now - last_warning_ > warning_interval) {
    server_.log.warn("connections have to wait", {{"error", std::generic_category().message(exhaustion_)},
                                                  {"connections", server_.connections.connection_count()},
                                                  {"times", pause_count_}});
    last_warning_ = now;
    pause_count_ = 0;
  }
  for (const auto& loop : loops_) {
    loop->submit([loop] { loop->close_idle(closed_when_exhausted); });
  }
  gate.pause_timer.expires_after(pause_length);
  gate.pause_timer.async_wait([this, &gate](const boost::system::error_code&) { accept_some(gate); });
}

}  // namespace carillon::http
