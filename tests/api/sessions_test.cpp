#include "api/rest/session_cookie.hpp"
#include "api/rest_world.hpp"
#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace carillon::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RestSessions : public ::testing::Test {
 protected:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  http::Response ask(http::Method method, std::string target, const Headers& headers) {
    http::Request request{.method = method, .target = std::move(target)};
    request.headers.add("Host", "localhost");
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    return world_.ask(std::move(request));
  }
  http::Response open(const Headers& headers) { return ask(http::Method::post, "/api/v1/sessions", headers); }
  int list_with(const Headers& headers) { return ask(http::Method::get, "/api/v1/schedules", headers).status; }

  static std::string cookie_of(const http::Response& response) {
    const auto found =
        std::ranges::find_if(response.headers, [](const auto& header) { return header.first == "Set-Cookie"; });
    return found == response.headers.end() ? std::string{} : found->second;
  }
  static std::string pair_of(const http::Response& response) {
    const std::string cookie = cookie_of(response);
    return cookie.substr(0, cookie.find(';'));
  }
  static std::string member_of(const http::Response& response, std::string_view name) {
    return std::string{parse_json(response.body).value().at(name).as_string()};
  }

  static std::string base64(std::string_view bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : bytes) {
      bits = bits << 8 | static_cast<unsigned char>(c);
      for (count += 8; count >= 6; count -= 6) text += letters[bits >> (count - 6) & 63];
    }
    if (count > 0) text += letters[bits << (6 - count) & 63];
    while (text.size() % 4 != 0) text += '=';
    return text;
  }

  RestWorld world_;
  const Headers token_{{"Authorization", "Bearer admin"}};
};

TEST_F(RestSessions, are_opened_with_a_cookie_that_pages_and_other_sites_do_not_get) {
  const auto opened = open(token_);

  EXPECT_EQ(opened.status, 201);
  EXPECT_THAT(cookie_of(opened), AllOf(HasSubstr("; HttpOnly"), HasSubstr("; SameSite=Strict"), HasSubstr("; Path=/"),
                                       HasSubstr("; Max-Age=86400"), Not(HasSubstr("; Secure")),
                                       Not(HasSubstr(member_of(opened, "key")))));
  const auto over_tls = open({{"Authorization", "Bearer admin"}, {"Origin", "https://localhost"}});
  EXPECT_THAT(cookie_of(over_tls), HasSubstr("; Secure"));
}

TEST_F(RestSessions, need_cookie_and_key_for_reads_too) {
  const auto opened = open(token_);
  const std::pair<std::string, std::string> cookie{"Cookie", "a=b; " + pair_of(opened) + "; c=d"};
  const std::pair<std::string, std::string> key{"Carillon-Session-Key", member_of(opened, "key")};

  EXPECT_EQ(list_with({cookie, key}), 200);
  EXPECT_EQ(list_with({cookie}), 401);
  EXPECT_EQ(list_with({key}), 401);
  EXPECT_EQ(list_with({cookie, {"Carillon-Session-Key", key.second.substr(1)}}), 401);
  EXPECT_EQ(list_with({cookie, key, {"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(list_with({cookie, key, {"Authorization", "Bearer nonsense"}}), 401) << "a token that is sent counts";
}

TEST_F(RestSessions, are_not_disturbed_by_a_password_of_a_server_before_this_one) {
  const auto opened = open(token_);
  const Headers session{{"Cookie", pair_of(opened)},
                        {"Carillon-Session-Key", member_of(opened, "key")},
                        {"Authorization", "Basic eDpub25zZW5zZQ=="}};

  EXPECT_EQ(list_with(session), 200);
}

TEST_F(RestSessions, calendar_programs_may_send_the_token_as_a_password) {
  const auto calendar_with = [&](const std::string& authorization) {
    return ask(http::Method::get, "/api/v1/calendar.ics?days=30", {{"Authorization", authorization}});
  };
  const auto asks_for_password = [](const http::Response& response) {
    return std::ranges::any_of(response.headers, [](const auto& header) {
      return header.first == "WWW-Authenticate" && header.second.starts_with("Basic");
    });
  };

  const std::string pair = base64("me:" + world_.token("viewer"));

  EXPECT_EQ(calendar_with("Basic " + pair).status, 200);
  EXPECT_EQ(calendar_with("basic " + pair.substr(0, pair.find('='))).status, 200) << "without padding";
  EXPECT_EQ(calendar_with("Bearer viewer").status, 200);
  EXPECT_EQ(list_with({{"Authorization", "Basic " + pair}}), 401) << "nothing else takes it";
  for (const char* wrong : {"Basic ", "Basic nobody", "Basic YWRtaW4=", "Basic eDpub25zZW5zZQ==", "Basic !!!!"}) {
    const auto refused = calendar_with(wrong);
    EXPECT_EQ(refused.status, 401) << wrong;
    EXPECT_TRUE(asks_for_password(refused)) << wrong;
  }
  EXPECT_FALSE(asks_for_password(ask(http::Method::get, "/api/v1/calendar.ics", {{"Carillon-Session-Key", "old"}})));
  EXPECT_FALSE(asks_for_password(ask(http::Method::get, "/api/v1/schedules", {})));
}

TEST_F(RestSessions, are_closed_at_once) {
  const auto opened = open(token_);
  const Headers session{{"Cookie", pair_of(opened)}, {"Carillon-Session-Key", member_of(opened, "key")}};

  const auto closed = ask(http::Method::del, "/api/v1/sessions/current", session);

  EXPECT_EQ(closed.status, 204);
  EXPECT_THAT(cookie_of(closed), HasSubstr("=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"));
  EXPECT_EQ(list_with(session), 401);
}

TEST_F(RestSessions, are_opened_by_a_link_once_which_opens_nothing_else) {
  const auto link = ask(http::Method::post, "/api/v1/sessions/links", token_);
  const Headers code{{"Authorization", "Bearer " + member_of(link, "code")}};

  EXPECT_EQ(list_with(code), 401);
  const auto opened = open(code);
  EXPECT_EQ(opened.status, 201);
  EXPECT_EQ(member_of(opened, "role"), "admin");
  EXPECT_EQ(open(code).status, 401);
}

TEST_F(RestSessions, cannot_be_lengthened_from_inside) {
  const auto opened = open(token_);
  const Headers session{{"Cookie", pair_of(opened)}, {"Carillon-Session-Key", member_of(opened, "key")}};

  EXPECT_EQ(open(session).status, 403);
  EXPECT_EQ(ask(http::Method::post, "/api/v1/sessions/links", session).status, 403);
}

TEST(SessionCookie, is_found_among_others_by_its_whole_name) {
  http::Request request;
  request.headers.add("Cookie", "xsession=1; session=2;session2=3");
  request.headers.add("Cookie", "other=4");

  EXPECT_EQ(rest::cookie_in(request, "session"), "2");
  EXPECT_EQ(rest::cookie_in(request, "other"), "4");
  EXPECT_EQ(rest::cookie_in(request, "essio"), "");
}

}  // namespace
}  // namespace carillon::testing
