#include "executors/http/own_addresses.hpp"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace carillon {

std::optional<IpAddress> address_of(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address, sizeof v4);
    IpAddress::V4 bytes;
    std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
    return IpAddress{bytes};
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address, sizeof v6);
    IpAddress::V6 bytes;
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return IpAddress{bytes};
  }
  return std::nullopt;
}

bool is_own_port(const IpAddress& address, std::uint16_t port, std::span<const std::uint16_t> own_ports) {
  if (std::ranges::find(own_ports, port) == own_ports.end()) return false;
  ifaddrs* first = nullptr;
  // Without the list nothing can be told apart, and the safe answer closes a port too many.
  if (::getifaddrs(&first) != 0) return true;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> interfaces{first, ::freeifaddrs};
  for (const ifaddrs* interface = first; interface != nullptr; interface = interface->ifa_next) {
    if (interface->ifa_addr != nullptr && address_of(*interface->ifa_addr) == address) return true;
  }
  return false;
}

}  // namespace carillon
