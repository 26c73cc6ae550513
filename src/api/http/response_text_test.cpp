#include "api/http/response_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ResponseText, states_what_an_answer_is_and_no_version) {
  std::string out;

  append_head(out, 404, {{"Content-Type", "text/plain"}}, {.length = 9}, "DATE");

  EXPECT_EQ(out,
            "HTTP/1.1 404 Not Found\r\nDate: DATE\r\nServer: carillon\r\nContent-Type: text/plain\r\n"
            "Content-Length: 9\r\n\r\n");
}

TEST(ResponseText, says_whether_the_connection_ends) {
  std::string closing;
  std::string old_and_kept;

  append_head(closing, 200, {}, {.is_chunked = true, .keeps_alive = false}, "DATE");
  append_head(old_and_kept, 200, {}, {.length = 0, .is_http_1_0 = true}, "DATE");

  EXPECT_THAT(closing, HasSubstr("Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(closing, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(old_and_kept, HasSubstr("Connection: keep-alive\r\n"));
}

TEST(ResponseText, leaves_out_headers_that_are_the_servers_own) {
  std::string out;

  append_head(out, 200, {{"content-length", "7"}, {"TRANSFER-ENCODING", "gzip"}, {"connection", "x"}, {"server", "y"}},
              {.length = 1}, "DATE");

  EXPECT_EQ(out, "HTTP/1.1 200 OK\r\nDate: DATE\r\nServer: carillon\r\nContent-Length: 1\r\n\r\n");
}

TEST(ResponseText, does_not_let_a_value_become_another_header) {
  EXPECT_TRUE(is_sendable(200, {{"X-Note", "tab\tand \xc3\xbc"}}));
  EXPECT_FALSE(is_sendable(200, {{"X-Note", "a\r\nSet-Cookie: b"}}));
  EXPECT_FALSE(is_sendable(200, {{"X-Note", "a\nb"}}));
  EXPECT_FALSE(is_sendable(200, {{"X-Note", std::string{"a\0b", 3}}}));
  EXPECT_FALSE(is_sendable(200, {{"X Note", "a"}}));
  EXPECT_FALSE(is_sendable(200, {{"", "a"}}));
  EXPECT_FALSE(is_sendable(100, {}));
  EXPECT_FALSE(is_sendable(600, {}));
}

TEST(ResponseText, frames_chunks) {
  std::string out;

  append_chunk(out, "hello world, hello");

  EXPECT_EQ(out, "12\r\nhello world, hello\r\n");
}

TEST(ResponseText, writes_dates_as_http_does) {
  using namespace std::chrono;

  EXPECT_EQ(http_date(sys_days{1994y / November / 6} + 8h + 49min + 37s), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(sys_days{2024y / February / 29}), "Thu, 29 Feb 2024 00:00:00 GMT");
}

}  // namespace
}  // namespace carillon::http
