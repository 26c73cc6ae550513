#pragma once

#include "executors/http/ip_address.hpp"

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace carillon {

/// Why no connection may be made to an address, by the egress rules and because this server listens there itself, and
/// what opens it; none if it may be. To be asked with the address of the socket, which no name can change any more.
[[nodiscard]] std::optional<std::string> connection_refusal(const sockaddr& target, std::span<const Cidr> allowed,
                                                            std::span<const std::uint16_t> own_ports);

}  // namespace carillon
