#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace carillon {

/// A request as it came in.
struct SinkRequest {
  std::string method;
  std::string target;
  std::multimap<std::string, std::string> headers;  // names in lower case
  std::string body;

  [[nodiscard]] std::string header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::string{} : found->second;
  }
};

/// One connection, for whoever answers on it. Plain, or TLS.
class SinkConnection {
 public:
  SinkConnection(int socket, SSL_CTX* tls) : socket_{socket} {
    if (tls == nullptr) return;
    tls_.reset(SSL_new(tls));
    SSL_set_fd(tls_.get(), socket);
    is_open_ = SSL_accept(tls_.get()) == 1;
  }
  SinkConnection(const SinkConnection&) = delete;
  SinkConnection& operator=(const SinkConnection&) = delete;

  [[nodiscard]] bool is_open() const { return is_open_; }

  /// False once the other side has gone.
  bool send(std::string_view bytes) {
    while (is_open_ && !bytes.empty()) {
      const auto count = tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                              : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      is_open_ = count > 0;
      if (is_open_) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return is_open_;
  }

  /// A whole answer.
  bool answer(std::string_view status_line, std::string_view body = "", std::string_view more_headers = "") {
    return send("HTTP/1.1 " + std::string{status_line} + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
                std::string{more_headers} + "\r\n" + std::string{body});
  }

  /// Some more bytes; none once the other side has gone.
  std::string receive() {
    std::string bytes(16 * 1024, '\0');
    const auto count = tls_ ? SSL_read(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                            : ::recv(socket_, bytes.data(), bytes.size(), 0);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }

  /// Returns when the other side has gone, or the sink is ended.
  void await_close() {
    while (!receive().empty()) continue;
  }

 private:
  struct FreeTls {
    void operator()(SSL* tls) const { SSL_free(tls); }
  };
  int socket_;
  bool is_open_ = true;
  std::unique_ptr<SSL, FreeTls> tls_;
};

/// A small real HTTP server on a port of its own. Every connection has a thread, reads one request and is then left to
/// the answer function.
class HttpSink {
 public:
  using Answer = std::function<void(SinkConnection&, const SinkRequest&)>;

  explicit HttpSink(Answer answer, const std::string& address = "127.0.0.1", SSL_CTX* tls = nullptr)
      : answer_{std::move(answer)}, address_{address}, tls_{tls}, listener_{listen(address)} {
    acceptor_ = std::thread{[this] { accept_all(); }};
  }
  HttpSink(const HttpSink&) = delete;
  HttpSink& operator=(const HttpSink&) = delete;
  ~HttpSink() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    {
      const std::lock_guard lock{mutex_};
      for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url(const std::string& host, const std::string& path = "/") const {
    return (tls_ == nullptr ? "http://" : "https://") + host + ":" + std::to_string(port_) + path;
  }
  [[nodiscard]] std::string url() const { return url(address_); }

  /// Requests so far, in the order they came in.
  [[nodiscard]] std::vector<SinkRequest> requests() {
    const std::lock_guard lock{mutex_};
    return requests_;
  }
  /// How many connections were made so far, whether or not a request followed.
  [[nodiscard]] std::size_t connection_count() {
    const std::lock_guard lock{mutex_};
    return threads_.size();
  }

 private:
  int listen(const std::string& address) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    socklen_t length = sizeof where;
    if (::inet_pton(AF_INET, address.c_str(), &where.sin_addr) != 1 ||
        ::bind(socket, reinterpret_cast<const sockaddr*>(&where), length) != 0 || ::listen(socket, 1024) != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&where), &length) != 0)
      throw std::runtime_error{"cannot listen on " + address};
    port_ = ntohs(where.sin_port);
    return socket;
  }

  void accept_all() {
    while (true) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      const std::lock_guard lock{mutex_};
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket] { serve(socket); });
    }
  }

  void serve(int socket) {
    block_broken_pipe_signal();
    {
      SinkConnection connection{socket, tls_};
      SinkRequest request;
      if (connection.is_open() && read(connection, request)) {
        {
          const std::lock_guard lock{mutex_};
          requests_.push_back(request);
        }
        answer_(connection, request);
      }
    }
    const std::lock_guard lock{mutex_};
    sockets_.remove(socket);
    ::close(socket);
  }

  static void block_broken_pipe_signal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }

  static bool read(SinkConnection& connection, SinkRequest& request) {
    std::string bytes;
    std::size_t head_end = bytes.npos;
    while ((head_end = bytes.find("\r\n\r\n")) == bytes.npos) {
      const std::string more = connection.receive();
      if (more.empty()) return false;
      bytes += more;
    }
    read_head(bytes.substr(0, head_end + 2), request);
    request.body = bytes.substr(head_end + 4);
    const std::string length = request.header("content-length");
    while (!length.empty() && request.body.size() < std::stoul(length)) {
      const std::string more = connection.receive();
      if (more.empty()) return false;
      request.body += more;
    }
    return true;
  }

  static void read_head(std::string_view head, SinkRequest& request) {
    const std::string_view first = head.substr(0, head.find("\r\n"));
    request.method = first.substr(0, first.find(' '));
    request.target = first.substr(request.method.size() + 1, first.rfind(' ') - request.method.size() - 1);
    head.remove_prefix(first.size() + 2);
    while (!head.empty()) {
      const std::string_view line = head.substr(0, head.find("\r\n"));
      const std::size_t colon = line.find(':');
      std::string name{line.substr(0, colon)};
      for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      std::string_view value = line.substr(colon + 1);
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      request.headers.emplace(std::move(name), value);
      head.remove_prefix(line.size() + 2);
    }
  }

  const Answer answer_;
  const std::string address_;
  SSL_CTX* const tls_;
  std::uint16_t port_ = 0;
  const int listener_;
  std::thread acceptor_;

  std::mutex mutex_;
  std::vector<SinkRequest> requests_;
  std::list<int> sockets_;
  std::list<std::thread> threads_;
};

}  // namespace carillon
