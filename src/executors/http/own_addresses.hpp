#pragma once

#include "executors/http/ip_address.hpp"

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <span>

namespace carillon {

/// The address of a socket address; none for other kinds than IPv4 and IPv6.
[[nodiscard]] std::optional<IpAddress> address_of(const sockaddr& address);

/// Whether an interface of this machine has the address now, and this server listens on that port.
[[nodiscard]] bool is_own_port(const IpAddress& address, std::uint16_t port, std::span<const std::uint16_t> own_ports);

}  // namespace carillon
