#pragma once

#include "api/http/http_server.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace carillon::http {

/// The rule of the error that another program listens at an address.
inline constexpr std::string_view address_taken = "address-taken";

/// A bound socket that clients can connect to. Non-blocking, and closed in child processes.
class ListeningSocket {
 public:
  [[nodiscard]] static Result<ListeningSocket> open(const ListenAddress& address);
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&& other) noexcept;
  ~ListeningSocket();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] bool is_tls() const { return is_tls_; }
  [[nodiscard]] Protocol* protocol() const { return protocol_; }
  /// Gives the descriptor away.
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

 private:
  ListeningSocket(int descriptor, const ListenAddress& address)
      : descriptor_{descriptor}, is_tls_{address.is_tls}, protocol_{address.protocol} {}

  int descriptor_;
  bool is_tls_;
  Protocol* protocol_;
  std::uint16_t port_ = 0;
};

}  // namespace carillon::http
