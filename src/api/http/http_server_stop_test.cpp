#include "api/http/http_server_test.hpp"

#include <thread>

namespace carillon::http {
namespace {

using std::chrono::minutes;

TEST(HttpServerStop, may_come_before_the_start_and_twice) {
  ListedLog log;
  const auto server = Server::open({}, echo, log);
  const std::uint16_t port = (*server)->port();

  (*server)->stop(Duration{0});
  (*server)->stop(minutes{1});
  (*server)->start();

  EXPECT_THROW(RawClient{port}, std::runtime_error);
}

TEST(HttpServerStop, closes_idle_connections_and_takes_no_new_ones) {
  TestServer server{echo};
  const std::uint16_t port = server->port();
  RawClient unused = server.connect();
  RawClient used = server.connect();
  used.send(get("/"));
  EXPECT_EQ(used.receive().status, 200);

  server->stop(minutes{1});

  EXPECT_TRUE(unused.is_closed());
  EXPECT_TRUE(used.is_closed());
  EXPECT_THROW(RawClient{port}, std::runtime_error);
  EXPECT_EQ(server->counts().connections, 0);
}

TEST(HttpServerStop, lets_requests_under_way_be_answered) {
  Mailbox<Responder> held;
  TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }};
  RawClient handled = server.connect();
  RawClient idle = server.connect();
  RawClient half_sent = server.connect();
  handled.send(get("/1"));
  Responder first = held.take();
  idle.send(get("/0"));
  held.take().send({});
  EXPECT_EQ(idle.receive().status, 200);
  half_sent.send(get("/2").substr(0, 20));

  std::jthread stopping{[&] { server->stop(minutes{1}); }};
  EXPECT_TRUE(idle.is_closed());  // now it stops
  half_sent.send(get("/2").substr(20));
  held.take().send({.body = "second"});
  first.send({.body = "first"});

  const Answer answer = handled.receive();
  EXPECT_EQ(answer.body, "first");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_EQ(half_sent.receive().body, "second");
  handled.close();
  half_sent.close();
  stopping.join();
}

TEST(HttpServerStop, answers_requests_that_have_come_but_have_not_been_looked_at) {
  Mailbox<bool> blocked;
  Mailbox<bool> go_on;
  ServerOptions options;
  options.thread_count = 1;
  TestServer server{[&](const Request& request, Responder responder) {
                      if (request.target == "/block") {
                        blocked.put(true);
                        static_cast<void>(go_on.take());
                      }
                      responder.send({.body = request.target});
                    },
                    std::move(options)};
  RawClient kept = server.connect();
  kept.send(get("/1"));
  EXPECT_EQ(kept.receive().status, 200);
  RawClient blocking = server.connect();
  blocking.send(get("/block"));
  static_cast<void>(blocked.take());
  kept.send(get("/2"));
  RawClient fresh = server.connect();
  fresh.send(get("/3"));

  std::jthread stopping{[&] { server->stop(minutes{1}); }};
  go_on.put(true);

  EXPECT_EQ(kept.receive().body, "/2");
  EXPECT_EQ(fresh.receive().body, "/3");
  EXPECT_EQ(blocking.receive().body, "/block");
  for (RawClient* client : {&kept, &fresh, &blocking}) client->close();
}

TEST(HttpServerStop, cuts_what_is_not_answered_within_the_grace) {
  Mailbox<Responder> held;
  TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }};
  RawClient client = server.connect();
  client.send(get("/"));
  Responder late = held.take();

  server->stop(std::chrono::milliseconds{20});

  EXPECT_TRUE(client.is_closed());
  late.send({.body = "too late"});
}

TEST(HttpServerStop, ends_streams_properly) {
  Mailbox<ResponseStream> streams;
  Mailbox<bool> closed;
  TestServer server{[&](const Request&, Responder responder) {
    ResponseStream stream = responder.start_stream(200, {});
    stream.on_closed([&] { closed.put(true); });
    streams.put(std::move(stream));
  }};
  RawClient client = server.connect();
  client.send(get("/"));
  const ResponseStream stream = streams.take();
  stream.write("x");
  std::jthread reading{[&] {
    EXPECT_EQ(client.receive().body, "x");
    client.close();
  }};

  server->stop(minutes{1});

  EXPECT_FALSE(closed.is_empty());
  EXPECT_FALSE(stream.write("y"));
}

TEST(HttpServerStop, forgives_answers_that_come_when_the_server_has_gone) {
  Mailbox<Responder> held;
  TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }};
  std::vector<RawClient> clients;
  std::vector<Responder> late;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(server.connect());
    clients.back().send(get("/"));
    late.push_back(held.take());
  }
  server.destroy();

  late[0].send({.body = "late"});
  ResponseStream stream = late[1].start_stream(200, {});
  late.clear();

  EXPECT_FALSE(stream.is_open());
}

TEST(HttpServerAnswers, are_known_to_be_sent_when_the_system_has_taken_all_of_them) {
  Mailbox<Responder> held;
  Mailbox<bool> sent;
  TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }};
  RawClient client = server.connect();
  client.send(get("/"));

  held.take().send({.body = "x", .on_sent = [&](bool is_sent) { sent.put(is_sent); }});

  EXPECT_TRUE(sent.take());
  EXPECT_EQ(client.receive().body, "x");
}

TEST(HttpServerAnswers, are_known_to_be_broken_when_the_client_goes_before_it_has_taken_them) {
  Mailbox<Responder> held;
  Mailbox<bool> sent;
  TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }};
  RawClient client = server.connect();
  client.send(get("/"));
  Responder responder = held.take();
  client.close();

  // More than the system keeps for a client that does not read.
  responder.send(
      {.body = std::string(std::size_t{64} << 20, 'x'), .on_sent = [&](bool is_sent) { sent.put(is_sent); }});

  EXPECT_FALSE(sent.take());
}

TEST(HttpServerAnswers, that_come_when_the_server_has_gone_are_known_to_be_broken) {
  Mailbox<Responder> held;
  Mailbox<bool> sent;
  TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }};
  RawClient client = server.connect();
  client.send(get("/"));
  Responder responder = held.take();
  server.destroy();

  responder.send({.body = "late", .on_sent = [&](bool is_sent) { sent.put(is_sent); }});

  EXPECT_FALSE(sent.take());
}

TEST(HttpServerStop, may_come_while_clients_are_busy) {
  for (int round = 0; round < 10; ++round) {
    TestServer server{echo};
    Mailbox<bool> answered;
    std::vector<std::jthread> busy;
    for (int i = 0; i < 4; ++i) {
      busy.emplace_back([&, client = server.connect()]() mutable {
        do {
          client.send(get("/"));
        } while (client.receive().status == 200 && (answered.put(true), true));
      });
    }
    for (int i = 0; i < 20; ++i) static_cast<void>(answered.take());

    server->stop(minutes{1});

    EXPECT_EQ(server->counts().connections, 0);
  }
}

}  // namespace
}  // namespace carillon::http
