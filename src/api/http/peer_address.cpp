#include "api/http/peer_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace carillon::http {
namespace {

constexpr std::array<std::uint8_t, 12> v4_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::array<std::uint8_t, 16> v6_loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

}  // namespace

PeerAddress::PeerAddress(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    std::ranges::copy(v4_prefix, bytes_.begin());
    std::memcpy(bytes_.data() + v4_prefix.size(), &v4.sin_addr, sizeof v4.sin_addr);
  } else {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    std::memcpy(bytes_.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
  }
}

bool PeerAddress::is_v4() const { return std::equal(v4_prefix.begin(), v4_prefix.end(), bytes_.begin()); }

std::string PeerAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_v4()) {
    inet_ntop(AF_INET, bytes_.data() + v4_prefix.size(), text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, bytes_.data(), text.data(), text.size());
  }
  return text.data();
}

bool PeerAddress::is_loopback() const { return is_v4() ? bytes_[12] == 127 : bytes_ == v6_loopback; }

PeerAddress::Key PeerAddress::key() const {
  Key key = bytes_;
  if (!is_v4()) std::fill(key.begin() + 8, key.end(), std::uint8_t{0});
  return key;
}

}  // namespace carillon::http
