#pragma once

#include "api/http/http_server.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <utility>

namespace carillon::http {

/// A bound socket that clients can connect to. Non-blocking, and closed in child processes.
class ListeningSocket {
 public:
  [[nodiscard]] static Result<ListeningSocket> open(const ListenAddress& address);
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&& other) noexcept;
  ~ListeningSocket();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] bool is_tls() const { return is_tls_; }
  /// Gives the descriptor away.
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

 private:
  ListeningSocket(int descriptor, bool is_tls) : descriptor_{descriptor}, is_tls_{is_tls} {}

  int descriptor_;
  bool is_tls_;
  std::uint16_t port_ = 0;
};

}  // namespace carillon::http
