#include "executors/http/connection_rule.hpp"

#include "executors/http/egress.hpp"
#include "executors/http/own_addresses.hpp"

#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace carillon {
namespace {

std::uint16_t port_of(const sockaddr& address) {
  // IPv4 and IPv6 have the port in the same place.
  sockaddr_in v4;
  std::memcpy(&v4, &address, sizeof v4);
  return ntohs(v4.sin_port);
}

bool is_opened(const IpAddress& address, std::span<const Cidr> allowed) {
  return std::ranges::any_of(allowed, [&](const Cidr& cidr) { return cidr.contains(address); });
}

}  // namespace

std::optional<std::string> connection_refusal(const sockaddr& target, std::span<const Cidr> allowed,
                                              std::span<const std::uint16_t> own_ports) {
  const auto address = address_of(target);
  if (!address) return "only IPv4 and IPv6 addresses may be called";
  auto rule = egress_refusal(*address, allowed);
  if (!rule && !is_opened(*address, allowed) && is_own_port(*address, port_of(target), own_ports)) rule = "own-port";
  if (!rule) return std::nullopt;
  return fmt::format("{} may not be called (egress rule {}); --allow-egress opens it", address->text(), *rule);
}

}  // namespace carillon
