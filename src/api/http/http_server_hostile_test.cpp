#include "api/http/hostile_requests_test.hpp"
#include "api/http/http_server_test.hpp"
#include "api/http/mutated_requests_test.hpp"

#include <random>

namespace carillon::http {
namespace {

using ::testing::StartsWith;

std::size_t count_of(std::string_view needle, std::string_view text) {
  std::size_t count = 0;
  for (auto at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + 1)) ++count;
  return count;
}

TEST(HttpServer, answers_a_hostile_request_once_and_closes) {
  Mailbox<std::string> seen;
  TestServer server{[&](const Request& request, Responder responder) {
    seen.put(request.target);
    responder.send({});
  }};

  for (const HostileRequest& hostile : hostile_requests()) {
    RawClient client = server.connect();
    client.send(hostile.bytes + get("/smuggled"));

    const std::string answer = client.receive_all();

    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(hostile.status) + " ")) << hostile.name;
    EXPECT_EQ(count_of("HTTP/1.1 ", answer), 1) << hostile.name;
    EXPECT_EQ(count_of("Connection: close\r\n", answer), 1) << hostile.name;
    EXPECT_EQ(count_of("Content-Type: application/problem+json\r\n", answer), 1) << hostile.name;
  }
  EXPECT_TRUE(seen.is_empty());
  EXPECT_EQ(server.log().problem_count(), 0);
}

TEST(HttpServer, answers_what_came_before_a_hostile_request) {
  const TestServer server{echo};
  RawClient client = server.connect();

  client.send("HEAD /1 HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/2") + get("http://evil/") + get("/3"));

  EXPECT_EQ(client.receive(true).status, 200);
  EXPECT_EQ(client.receive().body, "/2 ");
  const Answer refusal = client.receive();
  EXPECT_EQ(refusal.status, 400);
  EXPECT_FALSE(refusal.body.empty());
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpServer, does_not_show_a_client_what_it_sent) {
  const TestServer server{echo};

  const Answer answer = server.ask("GET /<script> HTTP/1.1\r\nHost: <script>\r\nX\x01: <script>\r\n\r\n");

  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(count_of("script", answer.body), 0);
}

TEST(HttpServer, lets_a_refused_client_read_why_although_it_is_still_sending) {
  const TestServer server{echo};
  RawClient client = server.connect();

  client.send(with_headers("Content-Length: 5000000\r\n"));
  client.send(std::string(5'000'000, 'x'));

  EXPECT_EQ(client.receive().status, 413);
  client.send_no_more();
  EXPECT_TRUE(client.is_closed());
}

/// The targets that a handler may get to see of what mutated_requests() makes are those of well-formed requests.
TEST(HttpServer, survives_whatever_is_sent_and_ends_it_by_an_answer_or_a_close) {
  std::mt19937 random{20260102};
  TestServer server{echo};

  for (int i = 0; i < 3000; ++i) {
    const std::string bytes = mutated_requests(random);
    RawClient client = server.connect();
    client.send(bytes);
    client.send_no_more();

    const std::string answers = client.receive_all();

    if (!answers.empty()) {
      EXPECT_THAT(answers, StartsWith("HTTP/1.1 ")) << ::testing::PrintToString(bytes);
    }
    EXPECT_LE(count_of("HTTP/1.1 ", answers), count_of("HTTP/1.", bytes) + 1) << ::testing::PrintToString(bytes);
  }

  EXPECT_EQ(server.ask(get("/")).status, 200);
  EXPECT_EQ(server.log().problem_count(), 0);
}

TEST(HttpServer, survives_mere_noise) {
  std::mt19937 random{20260103};
  TestServer server{echo};

  for (int i = 0; i < 500; ++i) {
    std::string bytes(std::uniform_int_distribution<std::size_t>{1, 300}(random), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    RawClient client = server.connect();
    client.send(bytes);
    client.send_no_more();
    static_cast<void>(client.receive_all());
  }

  EXPECT_EQ(server.ask(get("/")).status, 200);
  EXPECT_EQ(server.log().problem_count(), 0);
}

}  // namespace
}  // namespace carillon::http
