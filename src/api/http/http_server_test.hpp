#pragma once

#include "api/http/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon::http {

/// How long a test waits for what must come. Nothing is expected to take so long.
inline constexpr std::chrono::seconds patience_of_tests{60};

/// What other threads leave for the test, in order.
template <typename Value>
class Mailbox {
 public:
  void put(Value value) {
    const std::scoped_lock lock{mutex_};
    values_.push_back(std::move(value));
    // Inside the lock: whoever takes it may destroy this next.
    changed_.notify_all();
  }
  [[nodiscard]] Value take() {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, patience_of_tests, [&] { return !values_.empty(); })) {
      throw std::runtime_error{"nothing has come"};
    }
    Value value = std::move(values_.front());
    values_.pop_front();
    return value;
  }
  [[nodiscard]] bool is_empty() {
    const std::scoped_lock lock{mutex_};
    return values_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Value> values_;
};

/// Keeps the events, and lets a test wait for one.
class ListedLog final : public Log {
 public:
  void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) override {
    const std::scoped_lock lock{mutex_};
    std::string text{event};
    for (const LogField& field : fields) {
      if (const auto* value = std::get_if<std::string_view>(&field.value)) text.append(" ").append(*value);
    }
    if (level >= LogLevel::warn) ++problem_count_;
    events_.push_back(std::move(text));
    changed_.notify_all();
  }

  /// Until an event has come whose text contains this.
  void wait_for(std::string_view text) {
    std::unique_lock lock{mutex_};
    const auto has_come = [&] {
      return std::ranges::any_of(events_, [&](const std::string& event) { return event.contains(text); });
    };
    if (!changed_.wait_for(lock, patience_of_tests, has_come)) throw std::runtime_error{"not logged"};
  }
  [[nodiscard]] std::size_t problem_count() {
    const std::scoped_lock lock{mutex_};
    return problem_count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
  std::size_t problem_count_ = 0;
};

/// An answer as a client sees it.
struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  [[nodiscard]] std::string header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::string{} : found->second;
  }
};

/// A client that sends exactly the bytes it is told to.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, const std::string& host = "127.0.0.1") : socket_{socket_for(host)} {
    sockaddr_in v4{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    const bool is_v4 = inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1;
    if (!is_v4) inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr);
    const int outcome = is_v4 ? connect(socket_, reinterpret_cast<sockaddr*>(&v4), sizeof v4)
                              : connect(socket_, reinterpret_cast<sockaddr*>(&v6), sizeof v6);
    if (outcome != 0) throw std::runtime_error{std::string{"connect: "} + std::strerror(errno)};
  }
  RawClient(RawClient&& other) noexcept
      : socket_{std::exchange(other.socket_, -1)}, received_{std::move(other.received_)} {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() {
    if (socket_ >= 0) ::close(socket_);
  }

  [[nodiscard]] int socket() const { return socket_; }

  /// False if the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void send_no_more() const { ::shutdown(socket_, SHUT_WR); }
  void close() { ::close(std::exchange(socket_, -1)); }

  /// The next answer; status 0 if the connection ends before it is complete.
  Answer receive(bool is_to_head = false) {
    Answer answer;
    if (!fill_until("\r\n\r\n")) return {};
    const std::string head = take(received_.find("\r\n\r\n") + 4);
    answer.status = std::stoi(head.substr(9, 3));
    read_headers(head, answer);
    if (answer.status == 100 || is_to_head) return answer;
    return receive_body(answer) ? answer : Answer{};
  }

  /// The next bytes of a chunked body, none at its end.
  std::string receive_chunk() {
    if (!fill_until("\r\n")) throw std::runtime_error{"the stream ended without its end"};
    const std::size_t line_size = received_.find("\r\n") + 2;
    const std::size_t size = std::stoul(take(line_size), nullptr, 16);
    if (!fill_to(size + 2)) throw std::runtime_error{"the stream ended inside a chunk"};
    const std::string bytes = take(size + 2);
    return bytes.substr(0, size);
  }

  /// Everything until the server closes.
  std::string receive_all() {
    while (receive_some()) {
    }
    return take(received_.size());
  }
  /// Waits until the server closes, and is true if nothing came before.
  bool is_closed() { return receive_all().empty(); }

  /// Whether anything has arrived that has not been received yet; does not wait.
  [[nodiscard]] bool has_input() const {
    pollfd poll{.fd = socket_, .events = POLLIN, .revents = 0};
    return !received_.empty() || ::poll(&poll, 1, 0) > 0;
  }

 private:
  static int socket_for(const std::string& host) {
    const int socket = ::socket(host.contains(':') ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) throw std::runtime_error{std::string{"socket: "} + std::strerror(errno)};
    const timeval timeout{.tv_sec = patience_of_tests.count(), .tv_usec = 0};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    return socket;
  }

  /// False when the server has closed, in whatever way.
  bool receive_some() {
    std::array<char, 65536> buffer;
    // No lock is held here; the analyzer believes so after some ways through Mailbox.
    const auto count = recv(socket_, buffer.data(), buffer.size(), 0);  // NOLINT(clang-analyzer-unix.*)
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error{"the server says nothing"};
    if (count <= 0) return false;
    received_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
  }
  bool fill_until(std::string_view mark) {
    while (!received_.contains(mark)) {
      if (!receive_some()) return false;
    }
    return true;
  }
  bool fill_to(std::size_t size) {
    while (received_.size() < size) {
      if (!receive_some()) return false;
    }
    return true;
  }
  std::string take(std::size_t size) {
    std::string bytes = received_.substr(0, size);
    received_.erase(0, size);
    return bytes;
  }

  static void read_headers(std::string_view head, Answer& answer) {
    head.remove_prefix(head.find("\r\n") + 2);
    while (head != "\r\n") {
      const std::string_view line = head.substr(0, head.find("\r\n"));
      std::string name{line.substr(0, line.find(": "))};
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      EXPECT_TRUE(answer.headers.emplace(name, line.substr(line.find(": ") + 2)).second) << "twice: " << name;
      head.remove_prefix(line.size() + 2);
    }
  }
  bool receive_body(Answer& answer) {
    if (answer.header("transfer-encoding") == "chunked") {
      for (std::string chunk = receive_chunk(); !chunk.empty(); chunk = receive_chunk()) answer.body += chunk;
      return true;
    }
    const std::string length = answer.header("content-length");
    if (length.empty()) return true;
    if (!fill_to(std::stoul(length))) return false;
    answer.body = take(std::stoul(length));
    return true;
  }

  int socket_;
  std::string received_;
};

inline std::string get(const std::string& target, const std::string& lines = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n";
}

/// A server on a free port of 127.0.0.1 that is stopped at the end of the test.
class TestServer {
 public:
  enum class Start { now, later };

  explicit TestServer(Handler handler, ServerOptions options = {}, Start start = Start::now) {
    auto server = Server::open(std::move(options), std::move(handler), log_);
    if (!server) throw std::runtime_error{server.error().message};
    server_ = std::move(*server);
    if (start == Start::now) server_->start();
  }

  Server* operator->() { return server_.get(); }
  [[nodiscard]] RawClient connect() const { return RawClient{server_->port()}; }
  [[nodiscard]] ListedLog& log() { return log_; }
  void destroy() { server_.reset(); }

  /// What one request alone is answered.
  Answer ask(std::string_view bytes) const {  // NOLINT(modernize-use-nodiscard)
    RawClient client = connect();
    client.send(bytes);
    return client.receive();
  }

 private:
  ListedLog log_;
  std::unique_ptr<Server> server_;
};

/// Says what it was asked for.
inline void echo(Request request, Responder responder) {
  responder.send({.body = std::move(request.target) + " " + std::move(request.body)});
}

}  // namespace carillon::http
