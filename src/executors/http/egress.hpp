#pragma once

#include "executors/http/ip_address.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace carillon {

/// The rule by which requests to an address are refused, none if it may be called: `loopback`, `private`, `link-local`,
/// `metadata`, …. What is not a public unicast address is refused, and so is an IPv6 address that leads to such an IPv4
/// address (NAT64, 6to4), unless one of the ranges `allowed` opens it.
[[nodiscard]] std::optional<std::string_view> egress_refusal(const IpAddress& address, std::span<const Cidr> allowed);

}  // namespace carillon
