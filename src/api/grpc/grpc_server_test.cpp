// gRPC at an address of an http::Server: sockets, threads, time-outs and the way it stops.
#include "api/grpc/grpc_protocol.hpp"
#include "api/grpc/h2_client_test.hpp"
#include "api/http/http_server.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace carillon::grpc {
namespace {

using namespace std::chrono_literals;

class DroppedLog final : public Log {
 public:
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

/// Echoes, or keeps the calls for the test to answer.
class TestHandler final : public CallHandler {
 public:
  void handle(Call call, Replier replier) override {
    if (call.path != "/test/Keep") return replier.send({.message = call.message});
    const std::scoped_lock lock{mutex_};
    kept_.push_back(std::move(replier));
    changed_.notify_all();
  }
  [[nodiscard]] Status admit(const Call& /*head*/) override { return {}; }

  /// The oldest call that is kept, once there is one.
  Replier take() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return !kept_.empty(); });
    Replier first = std::move(kept_.front());
    kept_.erase(kept_.begin());
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Replier> kept_;
};

/// A client with a socket.
class SocketClient {
 public:
  explicit SocketClient(std::uint16_t port) : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error{"connect"};
  }
  ~SocketClient() { ::close(socket_); }
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  /// Talks until this holds, or the server has closed; false then, and after a long time.
  bool talk_until(const std::function<bool()>& holds) {
    while (!holds()) {
      send(h2.output());
      if (!receive()) return holds();
    }
    return true;
  }
  /// False if the server has closed.
  bool receive() {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 60'000) <= 0) return false;
    char bytes[16 * 1024];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    h2.feed({bytes, static_cast<std::size_t>(count)});
    return true;
  }
  bool waits_for_close() {
    send(h2.output());
    while (receive()) send(h2.output());
    return true;
  }

  H2Client h2;

 private:
  int socket_;
};

class GrpcServer : public testing::Test {
 protected:
  void open(http::Limits limits = {}) {
    http::ServerOptions options{.listen = {{.protocol = &protocol}}, .thread_count = 1, .limits = limits};
    auto made = http::Server::open(std::move(options), [](http::Request, http::Responder) {}, log);
    ASSERT_TRUE(made) << made.error().message;
    server = *std::move(made);
    server->start();
  }

  DroppedLog log;
  TestHandler handler;
  GrpcProtocol protocol{handler};
  std::unique_ptr<http::Server> server;
};

TEST_F(GrpcServer, answers_a_call) {
  open();
  SocketClient client{server->port()};

  const auto number = client.h2.call(H2Client::usual_headers("/test/Echo"), framed("hello"));

  ASSERT_TRUE(client.talk_until([&] { return client.h2.replies[number].is_closed; }));
  EXPECT_EQ(client.h2.replies[number].body, framed("hello"));
  EXPECT_EQ(server->counts().requests, 1U);
}

TEST_F(GrpcServer, answers_come_from_any_thread_and_others_need_not_wait) {
  open();
  SocketClient client{server->port()};
  const auto kept = client.h2.call(H2Client::usual_headers("/test/Keep"), framed(""));
  const auto quick = client.h2.call(H2Client::usual_headers("/test/Echo"), framed("quick"));

  ASSERT_TRUE(client.talk_until([&] { return client.h2.replies[quick].is_closed; }));
  EXPECT_FALSE(client.h2.replies[kept].is_closed);
  std::jthread{[replier = handler.take()]() mutable { replier.send({.message = "later"}); }}.join();

  ASSERT_TRUE(client.talk_until([&] { return client.h2.replies[kept].is_closed; }));
  EXPECT_EQ(client.h2.replies[kept].body, framed("later"));
}

TEST_F(GrpcServer, a_call_that_nobody_answers_is_answered_with_an_error) {
  open();
  SocketClient client{server->port()};
  const auto number = client.h2.call(H2Client::usual_headers("/test/Keep"), framed(""));
  client.send(client.h2.output());

  {
    const Replier dropped = handler.take();
  }

  ASSERT_TRUE(client.talk_until([&] { return client.h2.replies[number].is_closed; }));
  EXPECT_EQ(client.h2.replies[number].headers.at("grpc-status"), "13");
}

TEST_F(GrpcServer, who_answers_learns_that_the_client_has_gone) {
  open();
  std::optional<Replier> replier;
  {
    SocketClient client{server->port()};
    client.h2.call(H2Client::usual_headers("/test/Keep"), framed(""));
    client.send(client.h2.output());
    replier = handler.take();
    EXPECT_TRUE(replier->is_open());
  }

  while (server->counts().connections > 0) std::this_thread::yield();

  EXPECT_FALSE(replier->is_open());
  replier->send({});
}

TEST_F(GrpcServer, stopping_waits_for_the_calls_under_way) {
  open();
  SocketClient client{server->port()};
  const auto number = client.h2.call(H2Client::usual_headers("/test/Keep"), framed(""));
  client.send(client.h2.output());
  Replier replier = handler.take();
  std::jthread stopping{[&] { server->stop(60s); }};

  ASSERT_TRUE(client.talk_until([&] { return client.h2.goaway >= 0; }));
  replier.send({.message = "still"});

  ASSERT_TRUE(client.talk_until([&] { return client.h2.replies[number].is_closed; }));
  EXPECT_EQ(client.h2.goaway, NGHTTP2_NO_ERROR);
  EXPECT_EQ(client.h2.replies[number].body, framed("still"));
}

TEST_F(GrpcServer, one_who_says_nothing_is_not_waited_for) {
  http::Limits limits;
  limits.header_timeout = 50ms;
  open(limits);
  SocketClient client{server->port()};

  while (client.receive()) {
  }

  EXPECT_FALSE(client.receive());
}

TEST_F(GrpcServer, a_message_that_does_not_end_is_answered_when_its_time_is_over) {
  http::Limits limits;
  limits.body_timeout = 50ms;
  open(limits);
  SocketClient client{server->port()};
  const auto number = client.h2.call(H2Client::usual_headers("/test/Echo"), "half", false);

  ASSERT_TRUE(client.talk_until([&] { return client.h2.replies[number].is_closed; }));

  EXPECT_EQ(client.h2.replies[number].headers.at("grpc-status"), "4");
}

TEST_F(GrpcServer, a_busy_connection_keeps_no_unfinished_message_beyond_its_time) {
  http::Limits limits;
  limits.body_timeout = 100ms;
  open(limits);
  SocketClient client{server->port()};
  const auto half = client.h2.call(H2Client::usual_headers("/test/Echo"), "half", false);

  // One call after the other, without a pause, until it is answered.
  while (!client.h2.replies[half].is_closed) {
    const auto number = client.h2.call(H2Client::usual_headers("/test/Echo"), framed(""));
    ASSERT_TRUE(client.talk_until([&] { return client.h2.replies[number].is_closed; }));
  }

  EXPECT_EQ(client.h2.replies[half].headers.at("grpc-status"), "4");
}

TEST_F(GrpcServer, idle_connections_are_told_before_they_are_closed) {
  http::Limits limits;
  limits.idle_timeout = 20ms;
  open(limits);
  SocketClient client{server->port()};
  const auto number = client.h2.call(H2Client::usual_headers("/test/Echo"), framed(""));
  ASSERT_TRUE(client.talk_until([&] { return client.h2.replies[number].is_closed; }));

  EXPECT_TRUE(client.talk_until([&] { return client.h2.goaway >= 0; }));

  EXPECT_EQ(client.h2.goaway, NGHTTP2_NO_ERROR);
}

TEST_F(GrpcServer, http_1_1_is_not_spoken_here) {
  open();
  SocketClient client{server->port()};

  client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");

  while (client.receive()) {
  }
  EXPECT_EQ(server->counts().requests, 0U);
}

TEST_F(GrpcServer, clients_beyond_the_limit_are_sent_away) {
  http::Limits limits;
  limits.connection_count_max = 1;
  open(limits);
  SocketClient first{server->port()};
  first.h2.call(H2Client::usual_headers("/test/Keep"), framed(""));
  first.send(first.h2.output());
  Replier replier = handler.take();

  SocketClient second{server->port()};

  EXPECT_TRUE(second.talk_until([&] { return second.h2.goaway >= 0; }));
  replier.send({});
}

}  // namespace
}  // namespace carillon::grpc
