#include "api/http/request_reader.hpp"

#include "api/http/hostile_requests_test.hpp"
#include "api/http/mutated_requests_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace carillon::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ReaderLimits limits{.head_size_max = 16 * 1024, .header_count_max = 100, .body_size_max = 1024 * 1024};

/// What a reader makes of everything that comes in on one connection.
struct Reading {
  std::vector<std::string> requests;  // target and body
  int refused_with = 0;

  friend bool operator==(const Reading&, const Reading&) = default;
};

/// `next_size` says how many bytes come at a time.
Reading read_in_pieces(std::string_view bytes, const std::function<std::size_t()>& next_size) {
  Reading reading;
  RequestReader reader{limits};
  while (!bytes.empty() && reading.refused_with == 0) {
    std::string piece{bytes.substr(0, next_size())};
    bytes.remove_prefix(piece.size());
    while (!piece.empty() && reading.refused_with == 0) {
      piece.erase(0, reader.put(piece));
      if (reader.state() == RequestReader::State::refused) reading.refused_with = reader.refusal().status;
      if (reader.state() != RequestReader::State::complete) continue;
      const Request request = reader.take();
      reading.requests.push_back(request.target + " " + request.body);
      reader.reset();
    }
  }
  return reading;
}

Reading read_at_once(std::string_view bytes) {
  return read_in_pieces(bytes, [&] { return bytes.size(); });
}

Request read_one(const std::string& bytes) {
  RequestReader reader{limits};
  EXPECT_EQ(reader.put(bytes), bytes.size());
  return reader.take();
}

TEST(RequestReader, reads_method_target_headers_and_body) {
  const Request request = read_one(
      "PUT /v1/a?b=c HTTP/1.1\r\nHost: localhost:80\r\nX-Note:  two words \r\n"
      "content-length: 5\r\n\r\nhello");

  EXPECT_EQ(request.method, Method::put);
  EXPECT_EQ(request.target, "/v1/a?b=c");
  EXPECT_EQ(request.path(), "/v1/a");
  EXPECT_EQ(request.query(), "b=c");
  EXPECT_EQ(request.headers.find("x-note"), "two words");
  EXPECT_EQ(request.headers.find("Host"), "localhost:80");
  EXPECT_EQ(request.body, "hello");
}

TEST(RequestReader, knows_the_methods) {
  const auto method_of = [](const std::string& name) { return read_one(with_line(name + " / HTTP/1.1")).method; };

  EXPECT_EQ(method_of("GET"), Method::get);
  EXPECT_EQ(method_of("HEAD"), Method::head);
  EXPECT_EQ(method_of("POST"), Method::post);
  EXPECT_EQ(method_of("PATCH"), Method::patch);
  EXPECT_EQ(method_of("DELETE"), Method::del);
  EXPECT_EQ(method_of("OPTIONS"), Method::options);
  EXPECT_EQ(method_of("get"), Method::other);
  EXPECT_EQ(method_of("TRACE"), Method::other);
  EXPECT_EQ(method_of("BREW"), Method::other);
}

TEST(RequestReader, joins_chunks) {
  EXPECT_EQ(read_one(chunked("5\r\nhello\r\n00C\r\n, wide world\r\n0\r\n\r\n")).body, "hello, wide world");
  EXPECT_EQ(read_one(chunked("0\r\n\r\n")).body, "");
}

TEST(RequestReader, asks_for_the_options_of_the_whole_server) {
  EXPECT_EQ(read_one(with_line("OPTIONS * HTTP/1.1")).target, "*");
}

TEST(RequestReader, takes_one_request_and_leaves_the_next) {
  const std::string first = with_headers("Content-Length: 5\r\n") + "hello";
  RequestReader reader{limits};

  EXPECT_EQ(reader.put(first + "GET /next"), first.size());

  EXPECT_EQ(reader.state(), RequestReader::State::complete);
  EXPECT_EQ(reader.take().body, "hello");
}

TEST(RequestReader, knows_whether_the_connection_is_kept) {
  const auto is_kept = [](const std::string& bytes) {
    RequestReader reader{limits};
    reader.put(bytes);
    return reader.keeps_alive();
  };

  EXPECT_TRUE(is_kept("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_FALSE(is_kept("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n"));
  EXPECT_FALSE(is_kept("GET / HTTP/1.0\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(is_kept("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestReader, knows_who_waits_for_a_word_before_sending_the_body) {
  RequestReader reader{limits};
  reader.put(with_headers("Expect: 100-Continue\r\nContent-Length: 5\r\n"));

  EXPECT_EQ(reader.state(), RequestReader::State::reading_body);
  EXPECT_TRUE(reader.wants_continue());
  EXPECT_EQ(reader.put("hello"), 5);
  EXPECT_EQ(reader.state(), RequestReader::State::complete);
}

TEST(RequestReader, takes_no_memory_for_a_body_that_is_only_announced) {
  RequestReader reader{limits};
  reader.put(with_headers("Content-Length: 1048576\r\n"));

  EXPECT_EQ(reader.body_size(), 0);
  reader.put("hello");
  EXPECT_EQ(reader.body_size(), 5);
}

TEST(RequestReader, reads_a_body_up_to_the_limit) {
  const std::string body(limits.body_size_max, 'x');

  EXPECT_EQ(read_one(with_headers("Content-Length: 1048576\r\n") + body).body.size(), body.size());
  EXPECT_EQ(read_one(chunked("100000\r\n" + body + "\r\n0\r\n\r\n")).body.size(), body.size());
  EXPECT_EQ(read_at_once(chunked("100000\r\n" + body + "\r\n1\r\nx\r\n0\r\n\r\n")).refused_with, 413);
}

TEST(RequestReader, refuses_what_could_be_read_in_two_ways) {
  for (const HostileRequest& hostile : hostile_requests()) {
    if (hostile.status == 421) continue;  // well formed, for somebody else

    const Reading reading = read_at_once(hostile.bytes + with_line("GET /smuggled HTTP/1.1"));

    EXPECT_EQ(reading.refused_with, hostile.status) << hostile.name;
    EXPECT_THAT(reading.requests, IsEmpty()) << hostile.name;
  }
}

TEST(RequestReader, refuses_it_whatever_pieces_it_comes_in) {
  for (const HostileRequest& hostile : hostile_requests()) {
    if (hostile.status == 421) continue;

    const Reading reading = read_in_pieces(hostile.bytes, [] { return 1; });

    EXPECT_EQ(reading.refused_with, hostile.status) << hostile.name;
    EXPECT_THAT(reading.requests, IsEmpty()) << hostile.name;
  }
}

TEST(RequestReader, refuses_bytes_that_begin_no_request_before_their_end_has_come) {
  for (const std::string& beginning :
       {std::string{"\x16\x03\x01"}, std::string{"GET / HTTP/1.1\n"}, std::string(1, '\0')}) {
    EXPECT_EQ(read_at_once(beginning).refused_with, 400);
  }
}

/// What a request means must not hang on how the network cuts it.
TEST(RequestReader, reads_the_same_whatever_pieces_it_comes_in) {
  std::mt19937 random{20260101};
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = mutated_requests(random);
    const Reading expected = read_at_once(bytes);

    EXPECT_EQ(read_in_pieces(bytes, [] { return 1; }), expected) << ::testing::PrintToString(bytes);
    EXPECT_EQ(read_in_pieces(bytes, [&] { return std::uniform_int_distribution<std::size_t>{1, 40}(random); }),
              expected)
        << ::testing::PrintToString(bytes);
  }
}

TEST(RequestReader, reads_requests_behind_each_other) {
  std::string bytes;
  for (const std::string& request : valid_requests()) bytes += request;

  const Reading reading = read_at_once(bytes);

  EXPECT_EQ(reading.refused_with, 0);
  EXPECT_EQ(reading.requests.size(), valid_requests().size());
}

}  // namespace
}  // namespace carillon::http
