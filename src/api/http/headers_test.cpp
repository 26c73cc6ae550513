#include "api/http/headers.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace carillon::http {
namespace {

TEST(Headers, are_found_without_regard_to_case) {
  Headers headers;
  headers.add("Content-Type", "text/plain");
  headers.add("X-Request-Id", "");

  EXPECT_EQ(headers.find("content-TYPE"), "text/plain");
  EXPECT_EQ(headers.find("x-request-id"), "");
  EXPECT_FALSE(headers.find("Content-Typ"));
  EXPECT_FALSE(headers.contains("Accept"));
}

TEST(Headers, keep_their_order_and_every_one_of_the_same_name) {
  Headers headers;
  headers.add("Accept", "text/html");
  headers.add("Via", "one");
  headers.add("accept", "*/*");

  EXPECT_EQ(headers.find("Accept"), "text/html");
  EXPECT_EQ(headers.count("ACCEPT"), 2);
  ASSERT_EQ(headers.size(), 3);
  EXPECT_EQ(headers[2].name, "accept");
  EXPECT_EQ(headers[2].value, "*/*");
}

TEST(Headers, mean_the_same_after_they_have_been_copied_and_moved) {
  Headers headers;
  headers.add("A", "b");
  const Headers copy = headers;
  const Headers moved = std::move(headers);

  EXPECT_EQ(copy.find("a"), "b");
  EXPECT_EQ(moved.find("a"), "b");
}

}  // namespace
}  // namespace carillon::http
