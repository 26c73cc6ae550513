#include "executors/http/http_answer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using Outcome = AttemptOutcome;

const Instant now = *parse_instant("2026-01-27T14:00:00Z");
const std::vector<StatusRange> two_hundreds{{200, 299}};

AttemptEnd judged(const HttpAnswer& answer, const std::vector<StatusRange>& codes = two_hundreds) {
  return judge(answer, codes, 64, now);
}

HttpAnswer ok(std::string body) {
  return {.status = 200, .reason = "OK", .body = std::move(body), .is_complete = true};
}

HttpAnswer overloaded(std::int64_t status, std::string retry_after) {
  return {.status = status, .reason = "", .retry_after = std::move(retry_after), .body = "", .is_complete = true};
}

TEST(HttpAnswer, succeeds_when_its_status_is_among_the_success_codes) {
  const std::vector<StatusRange> codes{{200, 204}, {404, 404}};

  EXPECT_EQ(judged({.status = 204}, codes).outcome, Outcome::succeeded);
  EXPECT_EQ(judged({.status = 404}, codes).outcome, Outcome::succeeded);
  EXPECT_EQ(judged({.status = 205}, codes).outcome, Outcome::failed);
  EXPECT_EQ(judged({.status = 302}).outcome, Outcome::failed);
  EXPECT_EQ(judged({.status = 302}).exit_code, 302);
  EXPECT_EQ(judged({.status = 204}).exit_code, 204);
}

TEST(HttpAnswer, that_is_json_is_the_result) {
  EXPECT_EQ(judged(ok(R"({"rows": 3})")).result, R"({"rows": 3})");
  EXPECT_EQ(judged(ok("null")).result, "null");
}

TEST(HttpAnswer, that_is_no_json_or_too_large_or_cut_is_no_result) {
  HttpAnswer cut = ok("1");
  cut.is_complete = false;

  EXPECT_FALSE(judged(ok("")).result);
  EXPECT_FALSE(judged(ok("<html>")).result);
  EXPECT_FALSE(judged(ok("{} {}")).result);
  EXPECT_FALSE(judged(ok("\"" + std::string(63, 'x') + "\"")).result);
  EXPECT_TRUE(judged(ok("\"" + std::string(62, 'x') + "\"")).result);
  EXPECT_FALSE(judged(cut).result);
  EXPECT_FALSE(judged({.status = 500, .reason = "", .body = "{}", .is_complete = true}).result);
}

TEST(HttpAnswer, that_fails_says_status_words_and_the_beginning_of_the_body) {
  EXPECT_EQ(judged({.status = 503, .reason = "Service Unavailable", .body = ""}).error,
            "answered 503 Service Unavailable");
  EXPECT_EQ(judged({.status = 500, .reason = "", .body = "no disk\r\n  left\x1b[31m"}).error,
            "answered 500: no disk left [31m");
  EXPECT_EQ(judged({.status = 500, .reason = "", .body = std::string(1'000, 'x')}).error,
            "answered 500: " + std::string(200, 'x'));
  EXPECT_EQ(judged({.status = 500, .reason = std::string(1'000, 'x'), .body = ""}).error,
            "answered 500 " + std::string(60, 'x'));
}

TEST(HttpAnswer, is_shown_as_one_line_of_characters) {
  EXPECT_EQ(printable_part("\n\t a \x01\x7f b \n", 100), "a b");
  EXPECT_EQ(printable_part("\xC2\x9B"
                           "31m\xC2\xA9",
                           100),
            "31m©");
  EXPECT_EQ(printable_part("a\xFF\xFE"
                           "b",
                           100),
            "a b");
  EXPECT_EQ(printable_part("aä", 2), "a");
}

TEST(HttpAnswer, of_an_overloaded_server_says_when_to_come_again) {
  EXPECT_EQ(judged(overloaded(503, "120")).retry_after, 2min);
  EXPECT_EQ(judged(overloaded(429, "Tue, 27 Jan 2026 14:00:30 GMT")).retry_after, 30s);
  EXPECT_FALSE(judged(overloaded(500, "120")).retry_after);
  EXPECT_FALSE(judged(overloaded(200, "120")).retry_after);
  EXPECT_FALSE(judged({.status = 503}).retry_after);
}

struct Wait {
  std::string_view header;
  std::optional<Duration> wait;
};

TEST(HttpAnswer, asks_for_a_wait_of_at_most_a_day) {
  const Wait cases[] = {
      {"0", 0s},
      {"86400", 24h},
      {"86401", 24h},
      {"99999999999999999999999999", 24h},
      {"Tue, 27 Jan 2026 13:00:00 GMT", 0s},
      {"Wed, 27 Jan 2027 14:00:00 GMT", 24h},
      {"Tuesday, 27-Jan-26 14:01:00 GMT", 1min},
      {"Tue Jan 27 14:01:00 2026", 1min},
      {"", {}},
      {"-1", {}},
      {"soon", {}},
      {"1.5", {}},
  };
  for (const Wait& c : cases) EXPECT_EQ(parse_retry_after(c.header, now), c.wait) << c.header;
}

}  // namespace
}  // namespace carillon
