#include "api/http/http_server_test.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <optional>
#include <thread>

namespace carillon::http {
namespace {

/// A server whose every answer is a stream, which the test gets.
struct StreamServer {
  explicit StreamServer(ServerOptions options = {})
      : server{[this](const Request& request, Responder responder) {
                 if (request.target == "/plain") return responder.send({.body = "plain"});
                 streams.put(responder.start_stream(200, {{"Content-Type", "text/event-stream"}}));
               },
               std::move(options)} {}

  /// A client that has the head of its answer, and the other end of it.
  std::pair<RawClient, ResponseStream> open() {
    RawClient client = server.connect();
    client.send(get("/"));
    ResponseStream stream = streams.take();
    EXPECT_EQ(client.receive(true).status, 200);
    return {std::move(client), std::move(stream)};
  }

  Mailbox<ResponseStream> streams;
  TestServer server;
};

ServerOptions with_limits(const Limits& limits) {
  ServerOptions options;
  options.limits = limits;
  return options;
}

TEST(ResponseStream, sends_pieces_as_they_are_written) {
  StreamServer streaming;
  RawClient client = streaming.server.connect();
  client.send(get("/"));
  const ResponseStream stream = streaming.streams.take();

  const Answer head = client.receive(true);
  EXPECT_TRUE(stream.write("one"));
  const std::string first = client.receive_chunk();
  EXPECT_TRUE(stream.write("two"));
  const std::string second = client.receive_chunk();

  EXPECT_EQ(head.header("content-type"), "text/event-stream");
  EXPECT_EQ(head.header("transfer-encoding"), "chunked");
  EXPECT_EQ(head.header("connection"), "close");
  EXPECT_EQ(first, "one");
  EXPECT_EQ(second, "two");
}

TEST(ResponseStream, ends_properly_when_it_is_closed) {
  StreamServer streaming;
  auto [client, stream] = streaming.open();
  Mailbox<bool> closed;
  stream.on_closed([&] { closed.put(true); });

  stream.write("last");
  stream.close();

  EXPECT_EQ(client.receive_chunk(), "last");
  EXPECT_EQ(client.receive_chunk(), "");
  EXPECT_TRUE(client.is_closed());
  EXPECT_TRUE(closed.take());
  EXPECT_FALSE(stream.write("more"));
}

TEST(ResponseStream, ends_when_nobody_writes_to_it_any_more) {
  StreamServer streaming;
  auto [client, stream] = streaming.open();

  {
    const ResponseStream last = std::move(stream);
  }

  EXPECT_EQ(client.receive_chunk(), "");
}

TEST(ResponseStream, is_sent_without_chunks_to_http_1_0) {
  StreamServer streaming;
  RawClient client = streaming.server.connect();
  client.send("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n");
  const ResponseStream stream = streaming.streams.take();

  stream.write("one");
  stream.write("two");
  stream.close();

  EXPECT_EQ(client.receive(true).header("transfer-encoding"), "");
  EXPECT_EQ(client.receive_all(), "onetwo");
}

TEST(ResponseStream, is_over_at_once_in_answer_to_head) {
  StreamServer streaming;
  RawClient client = streaming.server.connect();
  client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const ResponseStream stream = streaming.streams.take();

  EXPECT_EQ(client.receive(true).header("content-type"), "text/event-stream");

  EXPECT_TRUE(client.is_closed());
  EXPECT_FALSE(stream.write("x"));
}

TEST(ResponseStream, can_be_started_and_written_by_any_thread) {
  Mailbox<Responder> held;
  const TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }};
  RawClient client = server.connect();
  client.send(get("/"));

  {
    const ResponseStream stream = held.take().start_stream(200, {});
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 250; ++j) stream.write("line\n");
      });
    }
    threads.clear();
    stream.close();
  }

  std::string expected;
  for (int i = 0; i < 1000; ++i) expected += "line\n";
  EXPECT_EQ(client.receive().body, expected);
}

TEST(ResponseStream, notices_that_its_client_has_gone) {
  StreamServer streaming;
  auto [client, stream] = streaming.open();
  Mailbox<bool> closed;
  stream.on_closed([&] { closed.put(true); });

  client.close();

  EXPECT_TRUE(closed.take());
  EXPECT_FALSE(stream.write("x"));
  EXPECT_FALSE(stream.is_open());
}

TEST(ResponseStream, ends_when_its_client_sends_something_else) {
  StreamServer streaming;
  auto [client, stream] = streaming.open();
  Mailbox<bool> closed;
  stream.on_closed([&] { closed.put(true); });

  client.send(get("/"));

  EXPECT_TRUE(closed.take());
}

TEST(ResponseStream, drops_a_client_that_reads_too_slowly) {
  StreamServer streaming;
  auto [client, stream] = streaming.open();
  Mailbox<bool> closed;
  stream.on_closed([&] { closed.put(true); });

  // More than fits into the buffers of the two sockets and the stream.
  std::size_t written = 0;
  while (stream.write(std::string(10'000, 'x'))) ASSERT_LT(written += 10'000, 100'000'000);

  EXPECT_TRUE(closed.take());
  EXPECT_EQ(streaming.server->counts().dropped_streams, 1);
  EXPECT_EQ(streaming.server->counts().streams, 0);
}

TEST(ResponseStream, is_dropped_when_its_client_takes_nothing_for_too_long) {
  StreamServer streaming{with_limits({.write_timeout = std::chrono::milliseconds{50}})};
  auto [client, stream] = streaming.open();
  Mailbox<bool> closed;
  stream.on_closed([&] { closed.put(true); });

  // Until the buffers of the sockets are full and something is left in ours.
  std::string piece(50'000, 'x');
  Mailbox<bool> drained;
  while (true) {
    ASSERT_TRUE(stream.write(piece));
    stream.when_drained([&] { drained.put(stream.is_open()); });
    if (!drained.take()) break;
  }

  EXPECT_TRUE(closed.take());
}

TEST(ResponseStream, leaves_little_in_the_kernel_for_a_client_that_reads_nothing) {
  StreamServer streaming{with_limits({.write_timeout = std::chrono::milliseconds{50}})};
  auto [client, stream] = streaming.open();
  const int small = 16 * 1024;
  setsockopt(client.socket(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  Mailbox<bool> drained;

  std::size_t taken = 0;
  do {
    ASSERT_TRUE(stream.write(std::string(10'000, 'x')));
    stream.when_drained([&] { drained.put(stream.is_open()); });
    taken += 10'000;
  } while (drained.take());

  EXPECT_LE(taken, 500'000);
}

TEST(ResponseStream, of_a_client_that_reads_too_slowly_is_cut_without_waiting_for_it) {
  StreamServer streaming;
  auto [client, stream] = streaming.open();
  Mailbox<bool> closed;
  stream.on_closed([&] { closed.put(true); });

  while (stream.write(std::string(10'000, 'x'))) {
  }
  EXPECT_TRUE(closed.take());

  std::array<char, 65536> buffer;
  ssize_t count = 0;
  while ((count = recv(client.socket(), buffer.data(), buffer.size(), 0)) > 0) {
  }
  EXPECT_EQ(count, -1) << "an end as if nothing were missing";
  EXPECT_EQ(errno, ECONNRESET);
}

TEST(ResponseStream, lets_one_with_much_to_send_go_at_the_pace_of_its_client) {
  StreamServer streaming;
  auto [client, stream] = streaming.open();
  std::size_t left = 5'000'000;
  const std::function<void()> send_more = [&] {
    const std::size_t size = std::min(left, stream.room());
    left -= size;
    EXPECT_TRUE(stream.write(std::string(size, 'x')));
    if (left > 0) return stream.when_drained(send_more);
    stream.close();
  };
  stream.when_drained(send_more);

  std::size_t received = 0;
  for (std::string chunk = client.receive_chunk(); !chunk.empty(); chunk = client.receive_chunk())
    received += chunk.size();

  EXPECT_EQ(received, 5'000'000);
  EXPECT_EQ(streaming.server->counts().dropped_streams, 0);
}

TEST(ResponseStream, does_not_hold_up_others_when_its_client_reads_nothing) {
  ServerOptions options;
  options.thread_count = 1;
  StreamServer streaming{std::move(options)};
  auto [slow, slow_stream] = streaming.open();
  auto [quick, quick_stream] = streaming.open();
  ASSERT_TRUE(slow_stream.write(std::string(250'000, 'x')));

  quick_stream.write("now");

  EXPECT_EQ(quick.receive_chunk(), "now");
  EXPECT_EQ(streaming.server.ask(get("/plain")).body, "plain");
}

TEST(ResponseStream, is_refused_when_there_are_too_many) {
  StreamServer streaming{with_limits({.stream_count_max = 1})};
  auto [first, first_stream] = streaming.open();
  RawClient second = streaming.server.connect();
  second.send(get("/"));

  const ResponseStream refused = streaming.streams.take();

  EXPECT_FALSE(refused.write("x"));
  EXPECT_EQ(second.receive().status, 503);
  EXPECT_TRUE(second.is_closed());
  first.close();
}

TEST(ResponseStream, makes_room_for_another_when_it_ends) {
  StreamServer streaming{with_limits({.stream_count_max = 1})};
  for (int i = 0; i < 3; ++i) {
    auto [client, stream] = streaming.open();
    EXPECT_TRUE(stream.write("x"));
    stream.close();
    EXPECT_EQ(client.receive_chunk(), "x");
    EXPECT_EQ(client.receive_chunk(), "");
  }
}

TEST(ResponseStream, that_cannot_be_sent_is_answered_500) {
  Mailbox<ResponseStream> streams;
  const TestServer server{
      [&](const Request&, Responder responder) { streams.put(responder.start_stream(200, {{"X-Note", "a\nb"}})); }};

  EXPECT_EQ(server.ask(get("/")).status, 500);
  EXPECT_FALSE(streams.take().is_open());
}

TEST(ResponseStream, may_be_written_to_when_the_server_has_gone) {
  StreamServer streaming;
  auto [client, stream] = streaming.open();
  streaming.server.destroy();

  EXPECT_FALSE(stream.write("x"));
  stream.close();
  bool is_told = false;
  stream.on_closed([&] { is_told = true; });
  EXPECT_TRUE(is_told);
}

/// The number of descriptors a process may have, raised as far as it can be.
std::size_t raised_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

TEST(ResponseStream, costs_little_while_nothing_happens) {
  constexpr std::size_t stream_count = 2'000;
  if (raised_descriptor_limit() < 2 * stream_count + 100) GTEST_SKIP() << "too few descriptors";
  StreamServer streaming;
  std::vector<RawClient> clients;
  std::vector<ResponseStream> streams;
  clients.reserve(stream_count);
  streams.reserve(stream_count);
  const std::size_t heap_before = mallinfo2().uordblks;

  for (std::size_t i = 0; i < stream_count; ++i) {
    clients.push_back(streaming.server.connect());
    clients.back().send(get("/"));
    streams.push_back(streaming.streams.take());
    ASSERT_EQ(clients.back().receive(true).status, 200);
    ASSERT_TRUE(streams.back().write("data: hello\n\n"));
    ASSERT_EQ(clients.back().receive_chunk(), "data: hello\n\n");
  }
  const std::size_t heap_each = (mallinfo2().uordblks - heap_before) / stream_count;
  EXPECT_EQ(streaming.server->counts().streams, stream_count);
  for (const ResponseStream& stream : streams) EXPECT_TRUE(stream.write("data: all\n\n"));
  for (RawClient& client : clients) ASSERT_EQ(client.receive_chunk(), "data: all\n\n");

  EXPECT_LE(heap_each, 15 * 1024);
  RecordProperty("bytes_per_stream", static_cast<int>(heap_each));
}

}  // namespace
}  // namespace carillon::http
