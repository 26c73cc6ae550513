#include "support/api_documents.hpp"

#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

namespace json = boost::json;

json::object last_run() {
  return run_document("r-7f3a91aa", "succeeded", "2026-10-29T13:00:00Z", "2026-10-29T13:00:00.1Z",
                      "2026-10-29T13:02:35.1Z");
}

json::object daily_report() {
  auto schedule = with(schedule_document("daily-report", "0 9 * * 1-5", "America/New_York"), R"({
    "name": "Daily Bug Report", "nextDueAt": "2026-10-30T13:00:00Z",
    "stats": {"totalRuns": 156, "successfulRuns": 152, "failedRuns": 4, "lastFailure": null, "averageDurationMs": 151000},
    "upcoming": [{"nominal": "2026-10-30T13:00:00Z", "due": "2026-10-30T13:00:00Z", "local": ""},
                 {"nominal": "2026-11-02T14:00:00Z", "due": "2026-11-02T14:00:00Z", "local": ""},
                 {"nominal": "2026-11-03T14:00:00Z", "due": "2026-11-03T14:00:00Z", "local": ""},
                 {"nominal": "2026-11-04T14:00:00Z", "due": "2026-11-04T14:00:00Z", "local": ""},
                 {"nominal": "2026-11-05T14:00:00Z", "due": "2026-11-05T14:00:00Z", "local": ""}]})");
  schedule["recentRuns"] = json::array{last_run()};
  return schedule;
}

/// Runs of so many seconds each, newest first.
std::vector<json::object> runs_of_seconds(const std::vector<int>& lengths) {
  std::vector<json::object> runs;
  for (const int length : lengths)
    runs.push_back(with(last_run(), fmt::format(R"({{"durationMs": {}}})", length * 1000)));
  return runs;
}

Told status_told(ScriptedConsole console, const json::object& schedule, const std::vector<int>& lengths = {},
                 std::vector<std::string> words = {"status", "daily-report"}) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules/daily-report", json::serialize(schedule));
  transport.answer("GET /api/v1/schedules/daily-report/runs?namespace=default&limit=50",
                   page_of(runs_of_seconds(lengths)));
  return carillon_on(console, transport, words);
}

TEST(Status, shows_a_schedule_at_a_glance) {
  const Told told = status_told(a_user_in_new_york(), daily_report(), {155, 149, 160, 600, 150, 148, 151});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.output, R"(daily-report  Daily Bug Report   ● idle
  When      At 09:00, Monday to Friday (America/New_York)           cron 0 9 * * 1-5
  Next      Fri 30 Oct 09:00 EDT · 13:00Z · in 22h37m55s
  Then      Mon 2 Nov 09:00 EST · Tue 3 Nov 09:00 EST · Wed 4 Nov 09:00 EST
  Last      ✔ r-7f3a91aa  Thu 29 Oct 09:00 EDT · late 0.1s · took 2m35s
  Policies  overlap skip · catch up the latest if ≤ 30m late · 3 attempts, exponential backoff from 1m · timeout 10m
  Health    152 ok, 4 failed of 156 · p50 2m31s · p95 10m00s   ▂▁▂█▂▁▂
  ⚠ Sun 1 Nov 02:00 clocks go back: local time stays 09:00, UTC moves 13:00Z → 14:00Z
)");
}

TEST(Status, says_what_holds_up_a_run) {
  auto schedule = with(daily_report(), R"({"activity": "running", "running": 1})");
  const auto with_run = [&](std::string_view state, std::string_view wait) {
    schedule["recentRuns"] = json::array{with(run_document("r-7f3a91aa", state, "2026-10-29T13:00:00Z"), wait)};
    return status_told(a_user_in_new_york(), schedule).output;
  };

  const std::string paused =
      with_run("queued", R"({"waitingFor": {"what": "paused_queue", "queue": "@command", "pausedBy": "admin"}})");
  const std::string retrying =
      with_run("retrying", R"({"waitingFor": {"what": "retry", "queue": "q", "until": "2026-10-29T14:30:00Z"},
                               "attempt": 1, "error": "exited with 1\nmore"})");
  const std::string waiting = with_run("queued", R"({"waitingFor": {"what": "worker", "queue": "q", "until": null}})");
  const std::string unserved =
      with_run("queued", R"({"waitingFor": {"what": "no_worker", "queue": "q", "until": null}})");

  EXPECT_TRUE(paused.starts_with("daily-report  Daily Bug Report   ⧗ waiting\n")) << paused;
  EXPECT_TRUE(paused.contains("  Waits     queue @command is paused by admin → carillon queue resume @command\n"))
      << paused;
  EXPECT_TRUE(retrying.contains("⧗ waiting\n")) << retrying;
  EXPECT_TRUE(retrying.contains("  Waits     attempt 1 failed: exited with 1; attempt 2 at 10:30:00\n")) << retrying;
  EXPECT_TRUE(waiting.contains("  Waits     waits for a worker of queue q\n")) << waiting;
  EXPECT_TRUE(unserved.contains("  Waits     no worker serves queue q\n")) << unserved;
}

TEST(Status, of_a_success_shows_no_error_of_an_attempt_before) {
  auto schedule = daily_report();
  schedule["recentRuns"] = json::array{with(
      run_document("r-7f3a91aa", "succeeded", "2026-10-29T13:00:00Z", "2026-10-29T13:00:00Z", "2026-10-29T13:01:00Z"),
      R"({"attempt": 2, "error": "exited with 1"})")};

  const std::string told = status_told(a_user_in_new_york(), schedule).output;

  EXPECT_TRUE(told.contains(" · took 1m00s · attempt 2\n")) << told;
}

TEST(Status, has_colours_on_a_terminal) {
  ScriptedConsole console = a_user_in_new_york();
  console.has_terminal = true;

  EXPECT_EQ(status_told(console, daily_report(), {155, 149}).output,
            "\x1b[1mdaily-report\x1b[0m  Daily Bug Report   \x1b[32m●\x1b[0m idle\n"
            "  When      At 09:00, Monday to Friday (America/New_York)           \x1b[2mcron 0 9 * * 1-5\x1b[0m\n"
            "  Next      Fri 30 Oct 09:00 EDT · 13:00Z · in 22h37m55s\n"
            "  Then      Mon 2 Nov 09:00 EST · Tue 3 Nov 09:00 EST · Wed 4 Nov 09:00 EST\n"
            "  Last      \x1b[32m✔\x1b[0m r-7f3a91aa  Thu 29 Oct 09:00 EDT · late 0.1s · took 2m35s\n"
            "  Policies  overlap skip · catch up the latest if ≤ 30m late · 3 attempts, exponential backoff from 1m · "
            "timeout 10m\n"
            "  Health    152 ok, 4 failed of 156 · p50 2m29s · p95 2m35s   ▇█\n"
            "  \x1b[33m⚠ Sun 1 Nov 02:00 clocks go back: local time stays 09:00, UTC moves 13:00Z → 14:00Z\x1b[0m\n");
}

TEST(Status, speaks_ascii) {
  ScriptedConsole console = a_user_in_new_york();
  console.variables["LANG"] = "C";

  EXPECT_EQ(status_told(console, daily_report(), {155, 149}).output, R"(daily-report  Daily Bug Report   * idle
  When      At 09:00, Monday to Friday (America/New_York)           cron 0 9 * * 1-5
  Next      Fri 30 Oct 09:00 EDT - 13:00Z - in 22h37m55s
  Then      Mon 2 Nov 09:00 EST - Tue 3 Nov 09:00 EST - Wed 4 Nov 09:00 EST
  Last      ok r-7f3a91aa  Thu 29 Oct 09:00 EDT - late 0.1s - took 2m35s
  Policies  overlap skip - catch up the latest if <= 30m late - 3 attempts, exponential backoff from 1m - timeout 10m
  Health    152 ok, 4 failed of 156 - p50 2m29s - p95 2m35s   78
  ! Sun 1 Nov 02:00 clocks go back: local time stays 09:00, UTC moves 13:00Z -> 14:00Z
)");
}

TEST(Status, warns_of_a_time_that_clocks_show_twice) {
  auto schedule = daily_report();
  schedule["spec"].as_object()["cron"] = json::array{"30 1 * * *"};

  const Told told = status_told(a_user_in_new_york(), schedule);

  EXPECT_TRUE(told.output.ends_with(
      "  ⚠ Sun 1 Nov 02:00 clocks go back: 01:30 happens twice this day; only the first, EDT, counts\n"))
      << told.output;
}

TEST(Status, a_clock_change_in_more_than_a_week_is_no_news) {
  ScriptedConsole console = a_user_in_new_york();
  console.time -= std::chrono::days{10};

  EXPECT_FALSE(status_told(console, daily_report()).output.contains("clocks"));
}

TEST(Status, a_paused_one_says_by_whom_and_how_to_go_on) {
  const auto paused = with(daily_report(), R"({"status": "paused", "nextDueAt": null, "recentRuns": [],
    "pause": {"reason": "API quota", "until": "2026-11-02T14:00:00Z", "by": "ops", "at": "2026-10-29T12:00:00Z"}})");

  const Told told = status_told(a_user_in_new_york(), paused);

  EXPECT_TRUE(
      told.output.contains("  Paused    by ops since Thu 29 Oct 08:00 EDT until Mon 2 Nov 09:00 EST: \"API quota\"\n"
                           "  Next      paused → carillon resume daily-report\n"
                           "  Last      no run yet\n"))
      << told.output;
}

TEST(Status, of_a_paused_one_says_the_reason_once) {
  const Told told = status_told(a_user_in_new_york(), with(daily_report(), R"({
    "status": "paused", "notes": "API quota",
    "pause": {"reason": "API quota", "until": null, "by": "ops", "at": "2026-10-29T12:00:00Z"}})"));

  EXPECT_TRUE(told.output.contains(": \"API quota\"\n")) << told.output;
  EXPECT_FALSE(told.output.contains("Notes")) << told.output;
}

TEST(Status, control_characters_of_a_name_do_not_reach_the_terminal) {
  const Told told = status_told(a_user_in_new_york(), with(daily_report(), R"({"name": "a\u001b[31mb"})"));

  EXPECT_FALSE(told.output.contains('\x1b')) << told.output;
}

TEST(Status, an_unknown_name_is_exit_3_and_names_the_closest) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules?q=daily-reprot&limit=500", page_of(std::vector<boost::json::object>{}));
  transport.answer("GET /api/v1/schedules?limit=500", page_of({daily_report()}));

  const Told told = carillon_on(console, transport, {"scheduler", "status", "daily-reprot"});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_TRUE(told.error.contains("did you mean daily-report?")) << told.error;
}

TEST(Status, the_document_as_it_is_for_programs) {
  const Told told = status_told(a_user_in_new_york(), daily_report(), {}, {"status", "daily-report", "-o", "json"});

  EXPECT_EQ(json::parse(told.output), json::value(daily_report()));
}

TEST(Status, without_a_name_is_about_the_server) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  const std::string system = R"({"now": "2026-10-29T14:22:05Z", "tzdata": "2026b", "store": {"status": "ok"},
                                 "commandsCanReadData": false, "schedules": 3, "ready": 1,
                                 "running": 0, "nextWake": null})";
  transport.answer("GET /api/v1/system", system);

  EXPECT_EQ(json::parse(carillon_on(console, transport, {"status", "-o", "json"}).output).at("schedules"),
            json::value(3));
}

}  // namespace
}  // namespace carillon::cli
