#include "api/http/http_server_test.hpp"

#include <fcntl.h>
#include <sys/resource.h>

namespace carillon::http {
namespace {

using std::chrono::milliseconds;
using ::testing::StartsWith;

ServerOptions with_limits(const Limits& limits) {
  ServerOptions options;
  options.limits = limits;
  return options;
}

TEST(HttpServer, gives_up_on_a_head_that_does_not_end) {
  const TestServer server{echo, with_limits({.header_timeout = milliseconds{50}})};
  RawClient client = server.connect();

  client.send("GET / HTTP/1.1\r\nHost: local");

  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpServer, is_not_kept_waiting_by_a_byte_now_and_then) {
  const TestServer server{echo, with_limits({.header_timeout = milliseconds{100}})};
  RawClient client = server.connect();
  client.send("GET / HTTP/1.1\r\n");

  // Each byte waits until the one before could have been answered, and is followed by the next until the server closes.
  const std::string header = "X-A: " + std::string(100'000, 'a');
  for (const char byte : header) {
    pollfd poll{.fd = client.socket(), .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, 1) > 0 || !client.send({&byte, 1})) break;
  }

  EXPECT_EQ(client.receive().status, 408);
}

TEST(HttpServer, gives_up_on_a_body_that_does_not_end) {
  const TestServer server{echo, with_limits({.body_timeout = milliseconds{50}})};
  RawClient by_length = server.connect();
  RawClient by_chunks = server.connect();

  by_length.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel");
  by_chunks.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n");

  EXPECT_EQ(by_length.receive().status, 408);
  EXPECT_EQ(by_chunks.receive().status, 408);
  EXPECT_TRUE(by_length.is_closed());
}

TEST(HttpServer, closes_connections_that_nobody_uses) {
  TestServer server{echo, with_limits({.idle_timeout = milliseconds{50}}), TestServer::Start::later};
  RawClient unused = server.connect();
  RawClient used = server.connect();
  used.send(get("/"));
  server->start();

  EXPECT_EQ(used.receive().status, 200);
  EXPECT_TRUE(unused.is_closed());
  EXPECT_TRUE(used.is_closed());
}

TEST(HttpServer, gives_up_on_a_client_that_does_not_read_its_answer) {
  TestServer server{[](const Request&, Responder responder) { responder.send({.body = std::string(50'000'000, 'x')}); },
                    with_limits({.write_timeout = milliseconds{50}})};
  RawClient client = server.connect();
  client.send(get("/"));

  server.log().wait_for("client took too long 127.0.0.1 write");

  EXPECT_EQ(client.receive().status, 0) << "the answer is not complete";
}

TEST(HttpServer, does_not_wait_for_ever_for_a_refused_client_to_go) {
  TestServer server{echo, with_limits({.linger_timeout = milliseconds{50}})};
  RawClient client = server.connect();
  client.send("nonsense\r\n\r\n");
  EXPECT_EQ(client.receive().status, 400);

  server.log().wait_for("client took too long 127.0.0.1 linger");
}

TEST(HttpServer, waits_for_its_handler_as_long_as_it_takes) {
  Mailbox<Responder> held;
  const Limits brief{
      .header_timeout = milliseconds{10}, .body_timeout = milliseconds{10}, .idle_timeout = milliseconds{10}};
  TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }, with_limits(brief),
                    TestServer::Start::later};
  RawClient slow = server.connect();
  slow.send(get("/slow"));
  server->start();
  Responder responder = held.take();

  // Others that came later have been given up meanwhile.
  EXPECT_TRUE(server.connect().is_closed());
  EXPECT_TRUE(server.connect().is_closed());
  responder.send({.body = "done"});

  EXPECT_EQ(slow.receive().body, "done");
}

TEST(HttpServer, serves_others_while_many_send_slowly) {
  ServerOptions options = with_limits({.header_timeout = milliseconds{500}});
  options.thread_count = 1;
  TestServer server{echo, std::move(options)};
  std::vector<RawClient> slow;
  for (int i = 0; i < 300; ++i) {
    slow.push_back(server.connect());
    slow.back().send("GET / HTTP/1.1\r\nHost: loc");
  }

  for (int i = 0; i < 100; ++i) ASSERT_EQ(server.ask(get("/quick")).status, 200);
  for (RawClient& client : slow) ASSERT_EQ(client.receive().status, 408);

  EXPECT_EQ(server->counts().requests, 100);
}

TEST(HttpServer, makes_room_for_a_new_client_by_closing_the_longest_idle) {
  ServerOptions options = with_limits({.connection_count_max = 2});
  options.thread_count = 1;
  const TestServer server{echo, std::move(options)};
  RawClient oldest = server.connect();
  RawClient older = server.connect();
  for (RawClient* client : {&oldest, &older}) {
    client->send(get("/"));
    EXPECT_EQ(client->receive().status, 200);
  }

  EXPECT_EQ(server.ask(get("/new")).status, 200);

  EXPECT_TRUE(oldest.is_closed());
  older.send(get("/"));
  EXPECT_EQ(older.receive().status, 200);
}

TEST(HttpServer, refuses_a_new_client_when_all_are_busy) {
  Mailbox<Responder> held;
  ServerOptions options = with_limits({.connection_count_max = 1});
  const TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); },
                          std::move(options)};
  RawClient busy = server.connect();
  busy.send(get("/"));
  Responder responder = held.take();

  RawClient refused = server.connect();
  EXPECT_EQ(refused.receive().status, 503);
  EXPECT_TRUE(refused.is_closed());

  responder.send({.body = "done"});
  EXPECT_EQ(busy.receive().body, "done");
}

TEST(HttpServer, receives_only_so_many_bodies_at_a_time) {
  const TestServer server{echo, with_limits({.body_size_total_max = 1000})};
  const std::string head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n";
  RawClient first = server.connect();
  first.send(head + std::string(899, 'x'));
  RawClient second = server.connect();
  second.send("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 900\r\n\r\n");
  EXPECT_EQ(second.receive().status, 100);

  second.send(std::string(899, 'x'));
  // Which of the two came second is for the network to say.
  pollfd both[]{{.fd = first.socket(), .events = POLLIN, .revents = 0},
                {.fd = second.socket(), .events = POLLIN, .revents = 0}};
  ASSERT_GT(::poll(both, 2, 60'000), 0);
  RawClient& refused = both[0].revents != 0 ? first : second;
  RawClient& served = both[0].revents != 0 ? second : first;

  EXPECT_EQ(refused.receive().status, 503);
  served.send("x");
  EXPECT_EQ(served.receive().status, 200);
  EXPECT_EQ(server.ask(head + std::string(900, 'x')).status, 200);
}

// The sanitizer for undefined behaviour needs two descriptors for each look at the type of an object, and calls wrong
// whatever it cannot look at.
#ifdef __SANITIZE_ADDRESS__
constexpr bool needs_descriptors_itself = true;
#else
constexpr bool needs_descriptors_itself = false;
#endif

/// As many descriptors as are open now, and no more, until the end of the scope.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(next);
    setrlimit(RLIMIT_NOFILE, &now);
  }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// A client whose descriptor is there before it connects.
class EarlyClient {
 public:
  EarlyClient() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {}
  EarlyClient(const EarlyClient&) = delete;
  EarlyClient& operator=(const EarlyClient&) = delete;
  ~EarlyClient() { ::close(socket_); }

  void ask(std::uint16_t port) const {
    sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    ASSERT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const std::string request = get("/early");
    ASSERT_EQ(::send(socket_, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  }
  [[nodiscard]] std::string answer() const {
    std::string bytes(65536, '\0');
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return bytes;
  }

 private:
  int socket_;
};

TEST(HttpServer, takes_connections_again_after_the_process_ran_out_of_descriptors) {
  if (needs_descriptors_itself) GTEST_SKIP() << "this build needs descriptors for itself";
  Mailbox<Responder> held;
  TestServer server{[&](const Request& request, Responder responder) {
    if (request.target == "/busy") return held.put(std::move(responder));
    responder.send({.body = request.target});
  }};
  const EarlyClient waiting;
  RawClient busy = server.connect();
  busy.send(get("/busy"));
  Responder responder = held.take();

  {
    const NoMoreDescriptors none;
    waiting.ask(server->port());
    server.log().wait_for("connections have to wait");
    responder.send({.body = "done"});
    EXPECT_EQ(busy.receive().body, "done");
  }

  EXPECT_THAT(waiting.answer(), StartsWith("HTTP/1.1 200 OK"));
}

TEST(HttpServer, gives_up_idle_connections_when_the_process_runs_out_of_descriptors) {
  if (needs_descriptors_itself) GTEST_SKIP() << "this build needs descriptors for itself";
  TestServer server{echo};
  const EarlyClient waiting;
  RawClient idle = server.connect();
  idle.send(get("/"));
  EXPECT_EQ(idle.receive().status, 200);

  const NoMoreDescriptors none;
  waiting.ask(server->port());

  EXPECT_TRUE(idle.is_closed());
  EXPECT_THAT(waiting.answer(), StartsWith("HTTP/1.1 200 OK"));
}

std::string large_head(std::size_t size) {
  return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

ServerOptions admitting(std::function<void(const Request&, Verdict)> admit) {
  ServerOptions options;
  options.admit = std::move(admit);
  return options;
}

TEST(HttpServer, refuses_a_large_body_before_it_has_come) {
  const TestServer server{echo,
                          admitting([](const Request&, const Verdict& verdict) { verdict(Response{.status = 401}); })};
  RawClient by_length = server.connect();
  RawClient by_chunks = server.connect();

  by_length.send(large_head(1024 * 1024));
  by_chunks.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n" +
                 std::string(20'000, 'x'));

  EXPECT_EQ(by_length.receive().status, 401);
  EXPECT_TRUE(by_length.is_closed());
  EXPECT_EQ(by_chunks.receive().status, 401);
  EXPECT_TRUE(by_chunks.is_closed());
}

TEST(HttpServer, takes_a_small_body_without_asking) {
  const TestServer server{echo,
                          admitting([](const Request&, const Verdict& verdict) { verdict(Response{.status = 401}); })};
  RawClient client = server.connect();

  client.send(large_head(16 * 1024) + std::string(16 * 1024, 'x'));

  EXPECT_EQ(client.receive().status, 200);
}

TEST(HttpServer, takes_a_large_body_when_somebody_has_said_so_later) {
  Mailbox<Verdict> verdicts;
  const TestServer server{echo, admitting([&](const Request& so_far, Verdict verdict) {
                            EXPECT_EQ(so_far.method, Method::post);
                            verdicts.put(std::move(verdict));
                          })};
  RawClient client = server.connect();
  const std::string body(100'000, 'x');
  client.send(large_head(body.size()) + body.substr(0, 50'000));

  verdicts.take()(std::nullopt);
  client.send(body.substr(50'000));

  const Answer answer = client.receive();
  EXPECT_EQ(answer.status, 200);
}

}  // namespace
}  // namespace carillon::http
