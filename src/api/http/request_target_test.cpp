#include "api/http/request_target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(RequestTarget, is_taken_apart_before_it_is_decoded) {
  const auto target = parse_target("/v1/a%20b/%C3%BC%3F?limit=10&name=a%26b+c&flag&=x&&limit=20");

  ASSERT_TRUE(target);
  EXPECT_THAT(target->segments, ElementsAre("v1", "a b", "ü?"));
  EXPECT_THAT(target->query, ElementsAre(Pair("limit", "10"), Pair("name", "a&b c"), Pair("flag", ""), Pair("", "x"),
                                         Pair("limit", "20")));
  EXPECT_EQ(target->parameter("limit"), "10");
  EXPECT_FALSE(target->parameter("absent"));
}

TEST(RequestTarget, keeps_empty_segments_so_that_no_two_paths_mean_the_same) {
  EXPECT_THAT(parse_target("/")->segments, ElementsAre(""));
  EXPECT_THAT(parse_target("/a/")->segments, ElementsAre("a", ""));
  EXPECT_THAT(parse_target("//a")->segments, ElementsAre("", "a"));
  EXPECT_THAT(parse_target("/a?")->query, IsEmpty());
}

TEST(RequestTarget, takes_a_plus_for_a_blank_in_the_query_only) {
  const auto target = parse_target("/a+b?c+d=e+f");

  EXPECT_THAT(target->segments, ElementsAre("a+b"));
  EXPECT_THAT(target->query, ElementsAre(Pair("c d", "e f")));
}

TEST(RequestTarget, is_decoded_once) { EXPECT_THAT(parse_target("/%252e%252e")->segments, ElementsAre("%2e%2e")); }

TEST(RequestTarget, that_leads_elsewhere_or_cannot_be_read_is_refused) {
  for (const std::string_view target :
       {"",      "a",      "*",      "http://host/a", "/.",       "/..",       "/a/../b", "/a/%2e%2e/b", "/%2E",
        "/.%2e", "/a%2fb", "/a%5Cb", "/a\\b",         "/a%00b",   "/a%0d%0ab", "/a%7f",   "/%",          "/%4",
        "/%zz",  "/%4g",   "/%c3",   "/%ff",          "/a?b=%00", "/a?%ff=b",  "/a?b=%e", "/a?b=%c3%28"}) {
    const auto parsed = parse_target(target);
    EXPECT_FALSE(parsed) << target;
  }
}

}  // namespace
}  // namespace carillon::http
