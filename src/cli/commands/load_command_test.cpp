#include "support/api_documents.hpp"

#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto day_request = "GET /api/v1/load?from=2026-10-29T14%3A23%3A00Z&to=2026-10-30T14%3A23%3A00Z&bucket=1m";

/// 24 hours by minutes from 14:23 on: two a minute, 612 at midnight, nothing from 13:00 on.
std::string a_day() {
  json::array items;
  const Instant begin = parse_instant("2026-10-29T14:00:00Z").value();
  for (int minute = 23; minute < 24 * 60 + 23; ++minute) {
    const std::int64_t count = minute == 600 ? 612 : minute >= 23 * 60 ? 0 : minute % 60 == 0 ? 100 : 2;
    items.push_back({{"from", to_text(begin + minute * 1min)}, {"count", count}});
  }
  return json::serialize(json::object{{"items", items}, {"bucket", "1m"}, {"schedules", 1204}, {"partial", false}});
}

Told load_told(ScriptedConsole console, std::vector<std::string> words) {
  ScriptedTransport transport;
  transport.answer(day_request, a_day());
  return carillon_on(console, transport, words);
}

TEST(Load, draws_the_day_on_a_terminal) {
  ScriptedConsole console = a_user_in_new_york();
  console.has_terminal = true;
  console.variables["NO_COLOR"] = "1";

  EXPECT_EQ(load_told(console, {"load", "--window", "24h", "--tz", "utc"}).output,
            R"(Planned starts, most per minute, by hour (UTC)   1,204 schedules · 5,382 starts
14 15 16 17 18 19 20 21 22 23 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14
 ▁  ▁  ▁  ▁  ▁  ▁  ▁  ▁  ▁  ▁  █  ▁  ▁  ▁  ▁  ▁  ▁  ▁  ▁  ▁  ▁  ▁  ▁
Peak Fri 30 Oct 00:00 UTC: 612 in one minute.
)");

  console.variables["LANG"] = "C";
  EXPECT_EQ(load_told(console, {"load"}).output,
            R"(Planned starts, most per minute, by hour (America/New_York)   1,204 schedules - 5,382 starts
10 11 12 13 14 15 16 17 18 19 20 21 22 23 00 01 02 03 04 05 06 07 08 09 10
 1  1  1  1  1  1  1  1  1  1  8  1  1  1  1  1  1  1  1  1  1  1  1  0  0
Peak Thu 29 Oct 20:00 EDT: 612 in one minute.
)");
}

TEST(Load, is_numbers_for_a_file) {
  const std::string output = load_told(a_user_in_new_york(), {"load"}).output;

  EXPECT_TRUE(
      output.contains("FROM                  STARTS  MOST PER MINUTE\n"
                      "Thu 29 Oct 10:23 EDT      74                2\n"
                      "Thu 29 Oct 11:00 EDT     218              100\n"))
      << output;
}

TEST(Load, a_wider_window_is_counted_more_coarsely) {
  for (const auto& [window, request] :
       {std::pair{"1h", "from=2026-10-29T14%3A22%3A10Z&to=2026-10-29T15%3A22%3A10Z&bucket=10s"},
        std::pair{"7d", "from=2026-10-29T14%3A23%3A00Z&to=2026-11-05T14%3A23%3A00Z&bucket=10m"},
        std::pair{"366d", "from=2026-10-29T14%3A23%3A00Z&to=2027-10-30T14%3A23%3A00Z&bucket=1d"}}) {
    ScriptedConsole console = a_user_in_new_york();
    ScriptedTransport transport;
    transport.answer(std::string{"GET /api/v1/load?"} + request,
                     R"({"items": [], "bucket": "1m", "schedules": 0, "partial": false})");

    const Told told = carillon_on(console, transport, {"load", "--window", window});

    EXPECT_TRUE(told.output.ends_with("No starts are planned.\n")) << window << transport.requests.back().url;
  }
}

TEST(Load, a_window_that_makes_no_sense_is_refused) {
  for (const std::string window : {"0s", "400d", "long"})
    EXPECT_EQ(load_told(a_user_in_new_york(), {"load", "--window", window}).exit_code, 2) << window;
}

TEST(Upcoming, lists_the_next_starts_of_all) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/upcoming?limit=1000&until=2026-10-29T16%3A22%3A05Z", R"({"items": [
    {"schedule": "queue-monitor", "namespace": "default", "name": "Queue monitor", "nominal": "2026-10-29T16:00:00Z",
     "due": "2026-10-29T16:00:00Z", "local": "2026-10-29T17:00:00+01:00"},
    {"schedule": "nightly-etl", "namespace": "default", "name": "nightly-etl", "nominal": "2026-10-29T16:10:00Z",
     "due": "2026-10-29T16:10:07Z", "local": "2026-10-29T16:10:00+00:00"}]})");

  EXPECT_EQ(carillon_on(console, transport, {"upcoming", "--window", "2h"}).output,
            "DUE                         IN  SCHEDULE\n"
            "Thu 29 Oct 12:00 EDT     1h37m  queue-monitor\n"
            "Thu 29 Oct 12:10:07 EDT  1h48m  nightly-etl\n");
}

}  // namespace
}  // namespace carillon::cli
