#include "api/pages/pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

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

const std::string docs_pack =
    "carillon pages 1\n"
    "docs\ttext/html; charset=utf-8\tt1\t4\t2\n"
    "docs/how-to/x\ttext/html; charset=utf-8\tt2\t3\t0\n"
    "docs/assets/style-1.css\ttext/css\tt3\t3\t0\n"
    "\n"
    "homeGZxyzcss";

Pages with_docs() { return Pages{read_pack(docs_pack).value()}; }

TEST(Pages, the_documentation_is_for_everybody_whatever_they_accept) {
  EXPECT_EQ(with_docs().answer(request_for("/docs", "*/*"))->body, "home");
  EXPECT_EQ(with_docs().answer(request_for("/docs/how-to/x?y=1"))->body, "xyz");
  EXPECT_EQ(header_of(*with_docs().answer(request_for("/docs/assets/style-1.css")), "Cache-Control"),
            "public, max-age=31536000, immutable");
}

TEST(Pages, what_is_not_smaller_compressed_is_sent_as_it_is) {
  http::Request request = request_for("/docs/how-to/x");
  request.headers.add("Accept-Encoding", "gzip");

  EXPECT_EQ(with_docs().answer(request)->body, "xyz");
  EXPECT_EQ(header_of(*with_docs().answer(request), "Content-Encoding"), "");
}

TEST(Pages, a_slash_behind_a_page_of_the_documentation_leads_to_the_page) {
  EXPECT_EQ(with_docs().answer(request_for("/docs/"))->status, 308);
  EXPECT_EQ(header_of(*with_docs().answer(request_for("/docs/")), "Location"), "../docs");
  EXPECT_EQ(header_of(*with_docs().answer(request_for("/docs/how-to/x/")), "Location"), "../x");
}

TEST(Pages, a_page_that_the_documentation_has_not_leads_a_person_back) {
  const auto response = with_docs().answer(request_for("/docs/how-to/y"));

  EXPECT_EQ(response->status, 404);
  EXPECT_THAT(response->body, ::testing::HasSubstr("href=\"../../docs\""));
  EXPECT_FALSE(with_docs().answer(request_for("/docs/how-to/y", "*/*")));
  EXPECT_FALSE(with_docs().answer(request_for("/docsx")));
}

/// Where a relative reference in a page leads, without its anchor.
std::string resolved(std::string_view page, std::string_view reference) {
  std::vector<std::string_view> segments;
  const auto add = [&](std::string_view path) {
    for (std::size_t slash = 0; slash != std::string_view::npos; path.remove_prefix(std::min(slash + 1, path.size()))) {
      slash = path.find('/');
      const std::string_view segment = path.substr(0, slash);
      if (segment == ".." && !segments.empty()) segments.pop_back();
      if (!segment.empty() && segment != "." && segment != "..") segments.push_back(segment);
    }
  };
  add(page.substr(0, page.rfind('/') == std::string_view::npos ? 0 : page.rfind('/')));
  add(reference.substr(0, reference.find('#')));
  std::string path;
  for (const std::string_view segment : segments) path += (path.empty() ? "" : "/") + std::string{segment};
  return path;
}

TEST(Pages, every_link_of_the_documentation_leads_to_a_page_and_a_heading_of_it) {
  const PageFiles files = built_in_files();
  std::size_t count = 0;
  for (const auto& [page, file] : files) {
    if (!page.starts_with("docs") || !file.type.starts_with("text/html")) continue;
    for (const std::string_view attribute : {" href=\"", " src=\""}) {
      for (std::size_t at = 0; (at = file.plain.find(attribute, at)) != std::string_view::npos;) {
        at += attribute.size();
        const std::string_view link = file.plain.substr(at, file.plain.find('"', at) - at);
        if (link.starts_with("https:") || link.starts_with("http:") || link.starts_with("mailto:")) continue;
        ++count;
        const std::string path = link.starts_with('#') ? std::string{page} : resolved(page, link);
        if (path.empty() || path == "openapi.json") continue;  // the dashboard, and what the REST interface answers
        const auto target = files.find(path);
        ASSERT_NE(target, files.end()) << page << " links to " << link;
        if (const std::size_t hash = link.find('#'); hash != std::string_view::npos) {
          EXPECT_TRUE(target->second.plain.contains(fmt::format(" id=\"{}\"", link.substr(hash + 1))))
              << page << " links to " << link;
        }
      }
    }
  }
  EXPECT_GT(count, 1'000U);
}

TEST(Pages, the_documentation_is_built_in_with_a_page_for_every_reason) {
  const PageFiles files = built_in_files();

  EXPECT_TRUE(files.contains("docs"));
  EXPECT_TRUE(files.contains("docs/api"));
  EXPECT_TRUE(files.contains("docs/reference/reasons/overlap"));
}

}  // namespace
}  // namespace carillon::pages
