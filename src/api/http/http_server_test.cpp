#include "api/http/http_server_test.hpp"

#include <thread>

namespace carillon::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

TEST(HttpServer, answers_a_request) {
  const TestServer server{[](const Request&, Responder responder) {
    responder.send({.status = 201, .headers = {{"Content-Type", "text/plain"}, {"Location", "/a"}}, .body = "made"});
  }};

  const Answer answer = server.ask(get("/"));

  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "made");
  EXPECT_EQ(answer.header("content-type"), "text/plain");
  EXPECT_EQ(answer.header("location"), "/a");
}

TEST(HttpServer, says_when_it_answered_but_not_what_it_is_made_of) {
  const TestServer server{echo};

  const Answer answer = server.ask(get("/"));

  EXPECT_THAT(answer.header("date"), MatchesRegex("[A-Z][a-z]+, [0-9]+ [A-Z][a-z]+ [0-9]+ [0-9:]+ GMT"));
  EXPECT_EQ(answer.header("server"), "carillon");
}

TEST(HttpServer, tells_the_handler_everything_about_a_request) {
  Mailbox<Request> requests;
  const TestServer server{[&](Request request, Responder responder) {
    requests.put(std::move(request));
    responder.send({});
  }};

  server.ask("PUT /a%20b?c HTTP/1.1\r\nHost: localhost\r\nX-Note: d\r\nContent-Length: 5\r\n\r\nhello");

  const Request request = requests.take();
  EXPECT_EQ(request.method, Method::put);
  EXPECT_EQ(request.target, "/a%20b?c");
  EXPECT_EQ(request.headers.find("x-note"), "d");
  EXPECT_EQ(request.body, "hello");
  EXPECT_EQ(request.peer_address, "127.0.0.1");
  EXPECT_FALSE(request.is_tls);
}

TEST(HttpServer, keeps_a_connection_for_further_requests) {
  const TestServer server{echo};
  RawClient client = server.connect();

  client.send(get("/1"));
  EXPECT_EQ(client.receive().body, "/1 ");
  client.send("POST /2 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "/2 abc");
  client.send(get("/3"));
  EXPECT_EQ(client.receive().body, "/3 ");
}

TEST(HttpServer, closes_when_the_client_wants_it) {
  const TestServer server{echo};
  RawClient client = server.connect();

  client.send(get("/1", "Connection: close\r\n") + get("/2"));

  const Answer answer = client.receive();
  EXPECT_EQ(answer.body, "/1 ");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpServer, closes_when_the_handler_wants_it) {
  const TestServer server{[](const Request&, Responder responder) { responder.send({.close = true}); }};
  RawClient client = server.connect();

  client.send(get("/1"));

  EXPECT_EQ(client.receive().header("connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpServer, keeps_connections_of_http_1_0_only_when_asked) {
  const TestServer server{echo};
  RawClient brief = server.connect();
  RawClient lasting = server.connect();

  brief.send("GET /1 HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(brief.receive().body, "/1 ");
  EXPECT_TRUE(brief.is_closed());
  lasting.send("GET /1 HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(lasting.receive().header("connection"), "keep-alive");
  lasting.send(get("/2"));
  EXPECT_EQ(lasting.receive().body, "/2 ");
}

TEST(HttpServer, answers_a_client_that_has_said_it_sends_nothing_more) {
  const TestServer server{echo};
  RawClient client = server.connect();

  client.send(get("/1") + get("/2"));
  client.send_no_more();

  EXPECT_EQ(client.receive().body, "/1 ");
  EXPECT_EQ(client.receive().body, "/2 ");
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpServer, answers_requests_that_come_together_in_their_order) {
  const TestServer server{echo};
  RawClient client = server.connect();
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += get("/" + std::to_string(i));

  client.send(requests);

  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.receive().body, "/" + std::to_string(i) + " ");
}

TEST(HttpServer, answers_in_order_although_a_later_answer_would_be_ready) {
  Mailbox<Responder> held;
  const TestServer server{[&](const Request& request, Responder responder) {
    if (request.target == "/slow") return held.put(std::move(responder));
    responder.send({.body = request.target});
  }};
  RawClient client = server.connect();
  client.send(get("/slow") + get("/fast"));

  Responder slow = held.take();
  EXPECT_FALSE(client.has_input());
  slow.send({.body = "/slow"});

  EXPECT_EQ(client.receive().body, "/slow");
  EXPECT_EQ(client.receive().body, "/fast");
}

TEST(HttpServer, sends_large_answers_whole_and_in_order) {
  const std::string large(3'000'000, 'x');
  const TestServer server{[&](const Request& request, Responder responder) {
    responder.send({.body = request.target == "/large" ? large : request.target});
  }};
  RawClient client = server.connect();

  client.send(get("/1") + get("/large") + get("/2") + get("/large") + get("/3"));

  EXPECT_EQ(client.receive().body, "/1");
  EXPECT_EQ(client.receive().body, large);
  EXPECT_EQ(client.receive().body, "/2");
  EXPECT_EQ(client.receive().body, large);
  EXPECT_EQ(client.receive().body, "/3");
}

TEST(HttpServer, lets_other_threads_answer) {
  std::vector<std::jthread> threads;
  std::mutex mutex;
  const TestServer server{[&](Request request, Responder responder) {
    const std::scoped_lock lock{mutex};
    threads.emplace_back([request = std::move(request), responder = std::move(responder)]() mutable {
      responder.send({.body = request.target});
    });
  }};
  RawClient client = server.connect();

  for (int i = 0; i < 50; ++i) {
    client.send(get("/" + std::to_string(i)));
    ASSERT_EQ(client.receive().body, "/" + std::to_string(i));
  }
  const std::scoped_lock lock{mutex};
  EXPECT_EQ(threads.size(), 50);
}

TEST(HttpServer, answers_head_like_get_but_without_the_body) {
  const TestServer server{echo};
  RawClient client = server.connect();

  client.send("HEAD /abc HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/next"));

  const Answer answer = client.receive(true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-length"), "5");
  EXPECT_EQ(client.receive().body, "/next ");
}

TEST(HttpServer, sends_no_body_where_there_can_be_none) {
  const TestServer server{[](const Request& request, Responder responder) {
    responder.send({.status = request.target == "/204" ? 204 : 304, .headers = {{"ETag", "\"1\""}}, .body = "x"});
  }};
  RawClient client = server.connect();

  client.send(get("/204") + get("/304"));

  const Answer no_content = client.receive();
  EXPECT_EQ(no_content.status, 204);
  EXPECT_EQ(no_content.header("content-length"), "");
  EXPECT_EQ(client.receive().status, 304);
}

TEST(HttpServer, tells_who_waits_for_it_to_go_on) {
  const TestServer server{echo};
  RawClient client = server.connect();

  client.send("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("hel");
  client.send("lo");

  EXPECT_EQ(client.receive().body, "/ hello");
}

TEST(HttpServer, says_nothing_to_who_sends_the_body_without_waiting) {
  const TestServer server{echo};

  const Answer answer =
      server.ask("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello");

  EXPECT_EQ(answer.status, 200);
}

TEST(HttpServer, answers_500_when_the_handler_throws) {
  TestServer server{[](const Request&, const Responder&) { throw std::runtime_error{"secret /path"}; }};

  const Answer answer = server.ask(get("/"));

  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(answer.body, Not(HasSubstr("secret")));
  server.log().wait_for("request handler failed");
  EXPECT_EQ(server.ask(get("/")).status, 500);
}

TEST(HttpServer, answers_500_when_the_handler_forgets_to) {
  Mailbox<Responder> held;
  const TestServer server{[&](const Request& request, Responder responder) {
    if (request.target == "/later") held.put(std::move(responder));
  }};
  RawClient client = server.connect();
  client.send(get("/later"));

  EXPECT_EQ(server.ask(get("/now")).status, 500);
  static_cast<void>(held.take());
  EXPECT_EQ(client.receive().status, 500);
}

TEST(HttpServer, does_not_send_an_answer_that_would_become_two) {
  TestServer server{[](const Request&, Responder responder) {
    responder.send({.headers = {{"X-Note", "a\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK"}}});
  }};
  RawClient client = server.connect();
  client.send(get("/"));

  EXPECT_EQ(client.receive().status, 500);

  EXPECT_TRUE(client.is_closed());
  server.log().wait_for("answer cannot be sent");
}

TEST(HttpServer, describes_refusals_as_problems) {
  const TestServer server{echo};

  const Answer answer = server.ask("GET / HTTP/1.1\r\n\r\n");

  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.header("content-type"), "application/problem+json");
  EXPECT_EQ(answer.body,
            R"({"type":"about:blank","title":"Bad Request","status":400,"detail":"the Host header is missing"})");
}

TEST(HttpServer, describes_refusals_as_it_is_told) {
  ServerOptions options;
  options.describe_refusal = [](int status, std::string_view detail) {
    return Response{.status = status, .headers = {{"X-Own", "yes"}}, .body = "no: " + std::string{detail}};
  };
  const TestServer server{echo, std::move(options)};
  RawClient client = server.connect();

  client.send("GET / HTTP/1.1\r\n\r\n");

  const Answer answer = client.receive();
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.header("x-own"), "yes");
  EXPECT_EQ(answer.body, "no: the Host header is missing");
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpServer, refuses_also_when_it_cannot_say_it_as_it_is_told) {
  ServerOptions throwing;
  throwing.describe_refusal = [](int, std::string_view) -> Response { throw std::runtime_error{"no words"}; };
  ServerOptions broken;
  broken.describe_refusal = [](int status, std::string_view) {
    return Response{.status = status, .headers = {{"X", "a\nb"}}};
  };
  TestServer first{echo, std::move(throwing)};
  const TestServer second{echo, std::move(broken)};

  EXPECT_EQ(first.ask("GET / HTTP/1.1\r\n\r\n").header("content-type"), "application/problem+json");
  EXPECT_EQ(second.ask("GET / HTTP/1.1\r\n\r\n").header("content-type"), "application/problem+json");
  first.log().wait_for("refusal could not be described");
}

TEST(HttpServer, answers_for_the_hosts_it_is_given) {
  ServerOptions options;
  options.allowed_hosts = {"carillon.example"};
  const TestServer server{echo, std::move(options)};

  EXPECT_EQ(server.ask("GET / HTTP/1.1\r\nHost: Carillon.Example:8080\r\n\r\n").status, 200);
  EXPECT_EQ(server.ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 421);
}

TEST(HttpServer, listens_on_several_addresses) {
  ServerOptions options;
  options.listen = {{.host = "127.0.0.1"}, {.host = "::1"}, {.host = "127.0.0.1"}};
  Mailbox<std::string> peers;
  TestServer server{[&](const Request& request, Responder responder) {
                      peers.put(request.peer_address);
                      responder.send({});
                    },
                    std::move(options)};
  RawClient first{server->port(0)};
  RawClient second{server->port(1), "::1"};
  RawClient third{server->port(2)};

  for (RawClient* client : {&first, &second, &third}) {
    client->send(get("/"));
    EXPECT_EQ(client->receive().status, 200);
  }

  EXPECT_THAT((std::vector{peers.take(), peers.take(), peers.take()}), ElementsAre("127.0.0.1", "::1", "127.0.0.1"));
  EXPECT_NE(server->port(0), server->port(2));
}

TEST(HttpServer, says_why_it_cannot_listen) {
  ListedLog log;
  TestServer other{echo};
  const auto open = [&](ListenAddress address) {
    ServerOptions options;
    options.listen = {std::move(address)};
    return Server::open(std::move(options), echo, log);
  };

  const auto in_use = open({.port = other->port()});
  const auto name = open({.host = "localhost"});
  const auto foreign = open({.host = "192.0.2.1"});

  ASSERT_FALSE(in_use);
  EXPECT_THAT(in_use.error().message, HasSubstr("127.0.0.1:" + std::to_string(other->port())));
  EXPECT_THAT(in_use.error().hint, Not(IsEmpty()));
  ASSERT_FALSE(name);
  EXPECT_THAT(name.error().message, HasSubstr("\"localhost\""));
  EXPECT_FALSE(foreign);
}

TEST(HttpServer, lets_a_handler_see_that_its_client_has_gone) {
  Mailbox<Responder> held;
  const TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }};
  RawClient client = server.connect();
  client.send(get("/"));
  Responder responder = held.take();

  EXPECT_TRUE(responder.is_open());
  // Also with a second request behind the first, which hides the end from who would read.
  client.send(get("/"));
  EXPECT_TRUE(responder.is_open());
  client.close();
  EXPECT_FALSE(responder.is_open());
}

TEST(HttpServer, lets_a_handler_that_is_late_see_that_the_server_has_gone) {
  Mailbox<Responder> held;
  TestServer server{[&](const Request&, Responder responder) { held.put(std::move(responder)); }};
  RawClient client = server.connect();
  client.send(get("/"));
  const Responder responder = held.take();
  EXPECT_TRUE(responder.is_open());

  server.destroy();

  EXPECT_FALSE(responder.is_open());
}

TEST(HttpServer, lets_clients_wait_until_it_is_started) {
  ListedLog log;
  const auto server = Server::open({}, echo, log);
  RawClient client{(*server)->port()};
  client.send(get("/"));

  (*server)->start();

  EXPECT_EQ(client.receive().status, 200);
}

TEST(HttpServer, counts_what_it_does) {
  TestServer server{echo};
  RawClient client = server.connect();
  client.send(get("/"));
  client.receive();
  EXPECT_EQ(server->counts().connections, 1);
  client.send(get("a"));
  client.receive();

  const ServerCounts counts = server->counts();

  EXPECT_EQ(counts.requests, 1);
  EXPECT_EQ(counts.refusals, 1);
  EXPECT_EQ(counts.streams, 0);
}

}  // namespace
}  // namespace carillon::http
