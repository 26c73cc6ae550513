#include "executors/temporal/channel_connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace carillon::workflows {
namespace {

using grpc::Status;
using grpc::StatusCode;

std::string tls_error() {
  std::array<char, 256> text{};
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "connection closed";
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

struct AddressListEnd {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

std::unique_ptr<addrinfo, AddressListEnd> addresses_of(const ClusterSettings& cluster, std::string& failure) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(cluster.host.c_str(), cluster.port.c_str(), &hints, &list);
  if (code != 0) failure = fmt::format("{} cannot be resolved: {}", cluster.host, gai_strerror(code));
  return std::unique_ptr<addrinfo, AddressListEnd>{list};
}

grpc::ClientSession::Target target_of(const ClusterSettings& cluster) {
  const bool is_v6 = cluster.host.contains(':');
  return {.authority = fmt::format("{}{}{}:{}", is_v6 ? "[" : "", cluster.host, is_v6 ? "]" : "", cluster.port),
          .is_tls = cluster.tls.has_value()};
}

std::string errno_text(int number) { return std::strerror(number); }

}  // namespace

TlsContext::TlsContext(ssl_ctx_st* context) : context_{context, SSL_CTX_free} {}

Result<std::shared_ptr<TlsContext>> TlsContext::open(const ClusterTls& tls) {
  std::shared_ptr<TlsContext> own{new TlsContext{SSL_CTX_new(TLS_client_method())}};
  SSL_CTX* const context = own->get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  constexpr std::array<unsigned char, 3> h2{2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context, h2.data(), h2.size());
  const int trusted = tls.ca_file.empty() ? SSL_CTX_set_default_verify_paths(context)
                                          : SSL_CTX_load_verify_locations(context, tls.ca_file.c_str(), nullptr);
  if (trusted != 1)
    return fail(ErrorCode::invalid_argument, "cannot read the CA certificates of {}: {}", tls.ca_file, tls_error());
  if (tls.certificate_file.empty()) return own;
  if (SSL_CTX_use_certificate_chain_file(context, tls.certificate_file.c_str()) != 1)
    return fail(ErrorCode::invalid_argument, "cannot read the certificate {}: {}", tls.certificate_file, tls_error());
  if (SSL_CTX_use_PrivateKey_file(context, tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1)
    return fail(ErrorCode::invalid_argument, "cannot read the key {}: {}", tls.key_file, tls_error());
  return own;
}

ChannelConnection::ChannelConnection(const ClusterSettings& cluster, std::shared_ptr<TlsContext> tls,
                                     std::size_t address_index, Duration now)
    : tls_{std::move(tls)}, ssl_{nullptr, SSL_free}, session_{target_of(cluster)}, begun_at_{now}, heard_at_{now} {
  begin(cluster, address_index);
}

void ChannelConnection::begin(const ClusterSettings& cluster, std::size_t address_index) {
  const auto list = addresses_of(cluster, failure_);
  std::vector<const addrinfo*> choices;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) choices.push_back(one);
  if (choices.empty()) return close(failure_.empty() ? cluster.host + " has no address" : failure_);
  const addrinfo& address = *choices[address_index % choices.size()];
  socket_ = ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return close("no socket: " + errno_text(errno));
  const int on = 1;
  static_cast<void>(setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
  if (::connect(socket_, address.ai_addr, address.ai_addrlen) != 0 && errno != EINPROGRESS)
    return close("cannot connect: " + errno_text(errno));
  wanted_ = POLLOUT;
  if (!tls_) return;
  ssl_.reset(SSL_new(tls_->get()));
  const std::string& name = cluster.tls->server_name.empty() ? cluster.host : cluster.tls->server_name;
  SSL_set_tlsext_host_name(ssl_.get(), name.c_str());
  SSL_set1_host(ssl_.get(), name.c_str());
  SSL_set_fd(ssl_.get(), socket_);
  SSL_set_connect_state(ssl_.get());
}

ChannelConnection::~ChannelConnection() {
  ssl_.reset();
  if (socket_ >= 0) ::close(socket_);
}

void ChannelConnection::close(const std::string& why) {
  if (stage_ == Stage::closed) return;
  stage_ = Stage::closed;
  failure_ = why;
  wanted_ = 0;
  ssl_.reset();
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  deadlines_.clear();
  session_.fail_calls({.code = StatusCode::unavailable, .message = why});
}

void ChannelConnection::call(const grpc::OutgoingCall& call, Duration deadline, grpc::ClientSession::Done done) {
  // Known only after the call is made, and before it is answered.
  const auto own = std::make_shared<std::int32_t>(0);
  *own = session_.call(call, [this, own, done = std::move(done)](grpc::ReceivedAnswer answer) {
    deadlines_.erase(*own);
    done(std::move(answer));
  });
  if (*own > 0) deadlines_[*own] = deadline;
}

pollfd ChannelConnection::wait() { return {.fd = socket_, .events = wanted_, .revents = 0}; }

bool ChannelConnection::finish_connect() {
  int error = 0;
  socklen_t size = sizeof error;
  pollfd ready{.fd = socket_, .events = POLLOUT, .revents = 0};
  if (::poll(&ready, 1, 0) == 0) return false;
  getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    close("cannot connect: " + errno_text(error));
    return false;
  }
  stage_ = ssl_ ? Stage::shaking_hands : Stage::open;
  return true;
}

bool ChannelConnection::shake_hands() {
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) {
    const unsigned char* protocol = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
    if (size != 2) {
      close("the server does not speak HTTP/2 (ALPN h2)");
      return false;
    }
    stage_ = Stage::open;
    return true;
  }
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    wanted_ = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    return false;
  }
  const long verified = SSL_get_verify_result(ssl_.get());
  const std::string cause = verified == X509_V_OK ? tls_error() : X509_verify_cert_error_string(verified);
  ERR_clear_error();
  close("TLS: " + cause);
  return false;
}

bool ChannelConnection::receive(Duration now) {
  std::array<char, 32 * 1024> piece{};
  for (;;) {
    ssize_t count = 0;
    if (ssl_) {
      count = SSL_read(ssl_.get(), piece.data(), static_cast<int>(piece.size()));
      const int error = count > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), static_cast<int>(count));
      if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return true;
      if (error != SSL_ERROR_NONE) {
        close("the connection was closed: " + tls_error());
        return false;
      }
    } else {
      count = ::recv(socket_, piece.data(), piece.size(), 0);
      if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
      if (count <= 0) {
        close(count == 0 ? std::string{"the server closed the connection"} : "connection: " + errno_text(errno));
        return false;
      }
    }
    heard_at_ = now;
    session_.feed({piece.data(), static_cast<std::size_t>(count)});
    if (session_.has_failed()) {
      close("the server breaks the rules of HTTP/2");
      return false;
    }
  }
}

bool ChannelConnection::flush() {
  for (;;) {
    const std::string_view output = session_.output();
    if (output.empty() && session_.has_failed()) {
      close("the server breaks the rules of HTTP/2");
      return false;
    }
    if (output.empty()) return true;
    ssize_t count = 0;
    if (ssl_) {
      count = SSL_write(ssl_.get(), output.data(), static_cast<int>(output.size()));
      const int error = count > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), static_cast<int>(count));
      if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) break;
      if (error != SSL_ERROR_NONE) {
        close("the connection was closed: " + tls_error());
        return false;
      }
    } else {
      count = ::send(socket_, output.data(), output.size(), MSG_NOSIGNAL);
      if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (count < 0) {
        close("connection: " + errno_text(errno));
        return false;
      }
    }
    session_.remove_output(static_cast<std::size_t>(count));
  }
  wanted_ = POLLIN | POLLOUT;
  return true;
}

void ChannelConnection::keep_alive(Duration now, Duration keepalive) {
  if (std::exchange(pongs_seen_, session_.pong_count()) != session_.pong_count()) is_pinging_ = false;
  if (is_pinging_ && now - pinged_at_ > keepalive && now - heard_at_ > keepalive)
    return close("the server gives no sign of life");
  if (is_pinging_ || now - heard_at_ < keepalive || session_.call_count() == 0) return;
  is_pinging_ = true;
  pinged_at_ = now;
  session_.ping();
}

void ChannelConnection::advance(Duration now, Duration keepalive) {
  if (stage_ == Stage::connecting && !finish_connect()) return;
  if (stage_ == Stage::shaking_hands && !shake_hands()) return;
  if (stage_ != Stage::open) return;
  wanted_ = POLLIN;
  if (!flush() || !receive(now)) return;
  keep_alive(now, keepalive);
  // Answers may have made new calls.
  if (stage_ == Stage::open) static_cast<void>(flush());
}

void ChannelConnection::end_late(Duration now) {
  std::vector<std::int32_t> late;
  for (const auto& [number, deadline] : deadlines_)
    if (deadline <= now) late.push_back(number);
  for (const std::int32_t number : late) {
    deadlines_.erase(number);
    session_.end_call(number, {.code = StatusCode::deadline_exceeded, .message = "the cluster did not answer in time"});
  }
}

Duration ChannelConnection::next_deadline() const {
  Duration next = Duration::max();
  for (const auto& [number, deadline] : deadlines_) next = std::min(next, deadline);
  return next;
}

}  // namespace carillon::workflows
