#include "api/http/http_server.hpp"

#include "api/http/acceptor.hpp"
#include "api/http/listening_socket.hpp"
#include "api/http/loop.hpp"
#include "api/http/server_state.hpp"
#include "api/http/tls.hpp"
#include "base/assertion.hpp"

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>

namespace carillon::http {
namespace {

/// Signals are for the process, not for these threads.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

Result<std::shared_ptr<const TlsContext>> load_tls(const ServerOptions& options) {
  if (options.tls) return TlsContext::load(*options.tls);
  if (std::ranges::any_of(options.listen, &ListenAddress::is_tls)) {
    return fail(ErrorCode::invalid_argument, "TLS needs a certificate and a key");
  }
  return nullptr;
}

}  // namespace

class Server::Parts {
 public:
  Parts(std::shared_ptr<ServerState> state, std::vector<ListeningSocket> sockets, std::vector<std::uint16_t> ports)
      : state_{std::move(state)}, ports_{std::move(ports)} {
    const std::size_t loop_count = std::max<std::size_t>(state_->options.thread_count, 1);
    for (std::size_t i = 0; i < loop_count; ++i) loops_.push_back(std::make_shared<Loop>(state_));
    acceptor_ = std::make_unique<Acceptor>(*state_, loops_, std::move(sockets));
  }

  void start() {
    CARILLON_ASSERT(threads_.empty());
    if (is_stopped_) return;
    const BlockedSignals blocked;
    for (const auto& loop : loops_) threads_.emplace_back([loop] { loop->run(); });
    loops_.front()->submit([this] { acceptor_->start(); });
  }

  void stop(Duration grace) {
    if (std::exchange(is_stopped_, true)) return;
    if (threads_.empty()) {
      acceptor_.reset();
      return;
    }
    // Those who still get in are with their loops before these are told to stop.
    loops_.front()->submit([this, grace] {
      acceptor_->stop();
      for (const auto& loop : loops_) loop->submit([loop, grace] { loop->begin_stop(grace); });
    });
    threads_.clear();
    acceptor_.reset();
  }

  [[nodiscard]] ServerState& state() { return *state_; }
  [[nodiscard]] std::uint16_t port(std::size_t index) const { return ports_.at(index); }

 private:
  std::shared_ptr<ServerState> state_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::shared_ptr<Loop>> loops_;
  std::unique_ptr<Acceptor> acceptor_;
  std::vector<std::jthread> threads_;
  bool is_stopped_ = false;
};

Result<std::unique_ptr<Server>> Server::open(ServerOptions options, Handler handler, Log& log) {
  auto tls = TRY(load_tls(options));
  std::vector<ListeningSocket> sockets;
  std::vector<std::uint16_t> ports;
  for (const ListenAddress& address : options.listen) {
    auto socket = ListeningSocket::open(address);
    const bool is_left_out = !socket && address.is_optional && socket.error().rule == address_taken;
    if (!socket && !is_left_out) return std::unexpected(std::move(socket).error());
    if (is_left_out) log.warn("not listening on an address that is in use", {{"error", socket.error().message}});
    ports.push_back(is_left_out ? std::uint16_t{0} : socket->port());
    if (!is_left_out) sockets.push_back(*std::move(socket));
  }
  auto state = std::make_shared<ServerState>(std::move(options), std::move(handler), log, std::move(tls));
  return std::unique_ptr<Server>{
      new Server{std::make_unique<Parts>(std::move(state), std::move(sockets), std::move(ports))}};
}

Server::Server(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}

Server::~Server() { stop(Duration{0}); }

std::uint16_t Server::port(std::size_t index) const { return parts_->port(index); }

void Server::start() { parts_->start(); }

void Server::stop(Duration grace) { parts_->stop(grace); }

Result<void> Server::reload_certificates() {
  auto tls = TRY(load_tls(parts_->state().options));
  parts_->state().replace_tls(std::move(tls));
  return {};
}

ServerCounts Server::counts() const {
  const ServerState& state = parts_->state();
  return {.connections = state.connections.connection_count(),
          .streams = state.connections.stream_count(),
          .requests = state.request_count,
          .refusals = state.refusal_count,
          .dropped_streams = state.dropped_stream_count};
}

}  // namespace carillon::http
