#pragma once

#include "base/error.hpp"

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace carillon::http {

/// Where a client sits. An IPv4 address in IPv6 dress (`::ffff:192.0.2.1`) is that IPv4 address.
class PeerAddress {
 public:
  /// Of an IPv4 or IPv6 socket address.
  explicit PeerAddress(const sockaddr_storage& address);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_loopback() const;

  /// What limits per address count by: an IPv4 address, or the /64 of an IPv6 address, which is what one client is
  /// given.
  using Key = std::array<std::uint8_t, 16>;
  [[nodiscard]] Key key() const;

 private:
  [[nodiscard]] bool is_v4() const;

  std::array<std::uint8_t, 16> bytes_{};  // IPv4 in IPv6 dress
};

}  // namespace carillon::http
