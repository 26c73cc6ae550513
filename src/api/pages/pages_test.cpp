#include "api/pages/pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace carillon::pages {
namespace {

const std::string pack =
    "carillon pages 1\n"
    "index.html\ttext/html; charset=utf-8\tt1\t6\t3\n"
    "assets/a-1.js\ttext/javascript\tt2\t5\t2\n"
    "\n"
    "<html>GZ1plainG2";

http::Request request_for(std::string target, std::string_view accept = "text/html,*/*") {
  http::Request request{.target = std::move(target)};
  request.headers.add("Accept", accept);
  return request;
}

std::string header_of(const http::Response& response, std::string_view name) {
  const auto found = std::ranges::find_if(response.headers, [&](const auto& header) { return header.first == name; });
  return found == response.headers.end() ? std::string{} : found->second;
}

Pages built() { return Pages{read_pack(pack).value()}; }

TEST(Pages, a_browser_gets_the_first_page_and_a_program_does_not) {
  EXPECT_EQ(built().answer(request_for("/"))->body, "<html>");
  EXPECT_FALSE(built().answer(request_for("/", "*/*")));
  EXPECT_FALSE(built().answer(request_for("/api/v1/schedules")));
}

TEST(Pages, every_answer_forbids_foreign_and_inline_scripts) {
  const auto response = built().answer(request_for("/?x=1"));

  EXPECT_THAT(header_of(*response, "Content-Security-Policy"), ::testing::HasSubstr("script-src 'self';"));
  EXPECT_EQ(header_of(*response, "Content-Security-Policy").find("unsafe"), std::string::npos);
  EXPECT_EQ(header_of(*response, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header_of(*response, "Cache-Control"), "no-cache");
}

TEST(Pages, an_asset_is_kept_for_good_and_compressed_for_who_takes_it) {
  http::Request request = request_for("/assets/a-1.js");
  EXPECT_EQ(built().answer(request)->body, "plain");
  request.headers.add("Accept-Encoding", "gzip, br");

  const auto response = built().answer(request);

  EXPECT_EQ(response->body, "G2");
  EXPECT_EQ(header_of(*response, "Content-Encoding"), "gzip");
  EXPECT_EQ(header_of(*response, "Cache-Control"), "public, max-age=31536000, immutable");
}

TEST(Pages, a_page_that_is_known_is_not_sent_again) {
  http::Request request = request_for("/");
  request.headers.add("If-None-Match", "\"t1\"");

  const auto response = built().answer(request);

  EXPECT_EQ(response->status, 304);
  EXPECT_EQ(response->body, "");
}

TEST(Pages, what_is_not_a_file_of_ours_or_not_read_is_left_to_others) {
  EXPECT_FALSE(built().answer(request_for("/assets/../index.html")));
  EXPECT_FALSE(built().answer(request_for("/assets/")));
  EXPECT_FALSE(built().answer(request_for("/index.html")));
  http::Request post = request_for("/");
  post.method = http::Method::post;
  EXPECT_FALSE(built().answer(post));
}

TEST(Pages, a_program_without_its_dashboard_says_how_to_get_it) {
  const Pages none{read_pack("").value()};

  EXPECT_THAT(none.answer(request_for("/"))->body, ::testing::HasSubstr("./start"));
}

TEST(Pages, a_pack_that_is_cut_or_has_more_than_it_lists_is_refused) {
  for (std::size_t size = 1; size < pack.size(); ++size)
    EXPECT_FALSE(read_pack(std::string_view{pack}.substr(0, size))) << size;
  EXPECT_FALSE(read_pack(pack + "x"));
  EXPECT_FALSE(read_pack("carillon pages 2\n\n"));
}

TEST(Pages, what_was_built_in_can_be_read) { EXPECT_TRUE(read_pack(built_in_pack())); }

}  // namespace
}  // namespace carillon::pages
