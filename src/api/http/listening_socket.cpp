#include "api/http/listening_socket.hpp"

#include "base/quoted.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>

namespace carillon::http {
namespace {

constexpr int backlog = 4096;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

std::optional<SocketAddress> parse(const ListenAddress& address) {
  SocketAddress out;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    out.length = sizeof v4;
    std::memcpy(&out.storage, &v4, sizeof v4);
  } else if (inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    out.length = sizeof v6;
    std::memcpy(&out.storage, &v6, sizeof v6);
  } else {
    return std::nullopt;
  }
  return out;
}

std::string text_of(const ListenAddress& address) {
  const bool is_v6 = address.host.contains(':');
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", address.host, is_v6 ? "]" : "", address.port);
}

/// Connections inherit these from the socket that accepts them, and so need no calls of their own.
void set_options(int descriptor, int family) {
  const auto set = [&](int level, int name, int value) { setsockopt(descriptor, level, name, &value, sizeof value); };
  set(SOL_SOCKET, SO_REUSEADDR, 1);
  if (family == AF_INET6) set(IPPROTO_IPV6, IPV6_V6ONLY, 1);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  // Clients that vanish without a word, behind a stream on which nothing happens.
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

std::unexpected<Error> cannot_listen(const ListenAddress& address, int error_number) {
  auto error = fail(ErrorCode::unavailable, "cannot listen on {}: {}", text_of(address),
                    std::generic_category().message(error_number));
  if (error_number == EADDRINUSE) error.error().rule = address_taken;
  if (error_number == EADDRINUSE) error.error().hint = "another program listens there; choose another port or end it";
  if (error_number == EACCES) error.error().hint = "ports below 1024 need a privilege; choose a higher one";
  return error;
}

std::uint16_t port_of(int descriptor) {
  SocketAddress bound;
  bound.length = sizeof bound.storage;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound.storage), &bound.length);
  sockaddr_in v4{};  // the port stands in the same place for both families
  std::memcpy(&v4, &bound.storage, sizeof v4);
  return ntohs(v4.sin_port);
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(const ListenAddress& address) {
  const auto target = parse(address);
  if (!target) {
    auto error = fail(ErrorCode::invalid_argument, "cannot listen on {}: not an IP address", quoted(address.host));
    error.error().hint = "127.0.0.1 is this machine alone, 0.0.0.0 and :: are all its addresses";
    return error;
  }
  const int family = target->storage.ss_family;
  ListeningSocket out{socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), address};
  if (out.descriptor_ < 0) return cannot_listen(address, errno);
  set_options(out.descriptor_, family);
  if (bind(out.descriptor_, reinterpret_cast<const sockaddr*>(&target->storage), target->length) != 0 ||
      listen(out.descriptor_, backlog) != 0) {
    return cannot_listen(address, errno);
  }
  out.port_ = port_of(out.descriptor_);
  return out;
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : descriptor_{other.release()}, is_tls_{other.is_tls_}, protocol_{other.protocol_}, port_{other.port_} {}

ListeningSocket& ListeningSocket::operator=(ListeningSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(is_tls_, other.is_tls_);
  std::swap(protocol_, other.protocol_);
  std::swap(port_, other.port_);
  return *this;
}

ListeningSocket::~ListeningSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace carillon::http
