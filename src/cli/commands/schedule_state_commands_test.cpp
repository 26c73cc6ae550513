#include "support/api_documents.hpp"
#include "support/run_documents.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace carillon::cli {
namespace {

namespace json = boost::json;

json::object nightly(std::string_view members) {
  return with(schedule_document("nightly", "0 4 * * *", "UTC"), members);
}

Told told_by(ScriptedTransport& transport, const std::vector<std::string>& words) {
  ScriptedConsole console = a_user_in_new_york();
  return carillon_on(console, transport, words);
}

TEST(Pause, says_until_when_and_why) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/pause", json::serialize(nightly(R"({"status": "paused", "pause":
    {"reason": "API quota", "until": "2026-10-29T16:22:05Z", "by": "ops", "at": "2026-10-29T14:22:05Z"}})")));

  const Told told = told_by(transport, {"pause", "nightly", "--reason", "API quota", "--until", "2h"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "‖ nightly  paused until Thu 29 Oct 12:22:05 EDT: \"API quota\"\n");
  EXPECT_EQ(json::parse(transport.requests.back().body),
            json::parse(R"({"reason": "API quota", "until": "2026-10-29T16:22:05Z"})"));
}

TEST(Pause, until_a_clock_is_the_next_one_in_the_zone_of_each_schedule) {
  ScriptedTransport transport;
  for (const auto& [id, zone] : {std::pair{"nightly", "UTC"}, std::pair{"hourly", "Europe/Berlin"}}) {
    const std::string schedule = json::serialize(schedule_document(id, "0 4 * * *", zone));
    transport.answer(fmt::format("GET /api/v1/schedules/{}", id), schedule);
    transport.answer(fmt::format("POST /api/v1/schedules/{}/pause", id), schedule);
  }

  EXPECT_EQ(told_by(transport, {"pause", "nightly", "hourly", "--until", "02:43"}).exit_code, 0);

  ASSERT_EQ(transport.requests.size(), 4u);
  EXPECT_EQ(transport.requests[1].body, R"({"until":"2026-10-30T02:43:00Z"})");
  EXPECT_EQ(transport.requests[3].body, R"({"until":"2026-10-30T01:43:00Z"})");
}

TEST(Pause, a_dry_run_says_that_it_was_one) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/pause?dryRun=true",
                   json::serialize(nightly(R"({"status": "paused"})")));

  EXPECT_EQ(told_by(transport, {"pause", "nightly", "--dry-run"}).output,
            "‖ nightly  paused (dry run; nothing was changed)\n");
}

TEST(Resume, says_when_it_starts_next) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/resume",
                   json::serialize(nightly(R"({"nextDueAt": "2026-10-30T04:00:00Z"})")));

  EXPECT_EQ(told_by(transport, {"scheduler", "resume", "nightly"}).output,
            "● nightly  active, next Fri 30 Oct 00:00 EDT (in 13h37m)\n");
}

TEST(Resume, one_that_fails_does_not_keep_the_others_from_it) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/resume", json::serialize(nightly("{}")));
  transport.refuse("POST /api/v1/schedules/hourly/resume", 400,
                   R"({"title": "Cannot resume schedule with status 'active'", "code": "wrong_status"})");

  const Told told = told_by(transport, {"resume", "hourly", "nightly"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_EQ(told.output, "● nightly  active\n");
  EXPECT_TRUE(told.error.contains("Cannot resume schedule with status 'active'")) << told.error;
}

TEST(Pause, of_a_paused_schedule_says_how_to_change_the_pause) {
  ScriptedTransport transport;
  transport.refuse("POST /api/v1/schedules/nightly/pause", 400,
                   R"({"title": "Cannot pause schedule with status 'paused'", "code": "wrong_status"})");

  const Told told = told_by(transport, {"pause", "nightly"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_TRUE(told.error.contains("Hint: it is paused already; --reason and --until change the pause")) << told.error;
}

TEST(Resume, of_a_disabled_schedule_names_the_command_that_helps) {
  ScriptedTransport transport;
  transport.refuse("POST /api/v1/schedules/nightly/resume", 400,
                   R"({"title": "Cannot resume schedule with status 'disabled'", "code": "wrong_status"})");

  EXPECT_TRUE(told_by(transport, {"resume", "nightly"}).error.contains("Hint: carillon enable nightly"));
}

TEST(Disable, a_name_is_looked_up_when_it_is_no_id) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules?q=Nightly%20ETL&limit=500", page_of({nightly(R"({"name": "Nightly ETL"})")}));
  transport.answer("POST /api/v1/schedules/nightly/disable", json::serialize(nightly(R"({"status": "disabled"})")));

  EXPECT_EQ(told_by(transport, {"disable", "Nightly ETL"}).output, "○ nightly  disabled\n");
}

TEST(Reset, programs_get_the_document_of_one_and_a_list_of_several) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/reset", json::serialize(nightly("{}")));

  EXPECT_TRUE(json::parse(told_by(transport, {"reset", "nightly", "-o", "json"}).output).is_object());
  EXPECT_EQ(json::parse(told_by(transport, {"reset", "nightly", "nightly", "-o", "json"}).output).as_array().size(),
            2U);
}

constexpr auto running_of_nightly = "GET /api/v1/schedules/nightly/runs?state=running&limit=500";

TEST(Cancel, counts_the_runs) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/cancel", R"({"cancelled": 2})", {}, 202);
  transport.answer("POST /api/v1/schedules/hourly/cancel", R"({"cancelled": 0})", {}, 202);
  transport.answer(running_of_nightly, page_of(std::vector<json::object>{}));

  EXPECT_EQ(told_by(transport, {"cancel", "nightly", "hourly"}).output,
            "⊘ nightly  2 runs cancelled\n· hourly  no run to cancel\n");
}

TEST(Cancel, of_runs_at_work_asks_them_to_stop_and_says_how_long_that_may_take) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/cancel", R"({"cancelled": 3})", {}, 202);
  transport.answer("GET /api/v1/schedules/nightly", json::serialize(nightly("{}")));
  const auto run = run_document("r-7f3a91aa", "running", "2026-10-29T14:00:00Z", "2026-10-29T14:00:00Z");
  transport.answer(running_of_nightly, page_of({run, run}));

  EXPECT_EQ(told_by(transport, {"cancel", "nightly"}).output,
            "⊘ nightly  1 run cancelled, 2 runs asked to stop; end within 10s\n");
}

TEST(Cancel, waits_until_they_have_ended_if_it_is_told_to) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/cancel", R"({"cancelled": 1})", {}, 202);
  transport.answer(running_of_nightly,
                   page_of({run_document("r-7f3a91aa", "running", "2026-10-29T14:00:00Z", "2026-10-29T14:00:00Z")}));
  transport.answer(running_of_nightly, page_of(std::vector<json::object>{}));

  EXPECT_EQ(told_by(transport, {"cancel", "nightly", "--wait"}).output, "⊘ nightly  1 run cancelled\n");
  EXPECT_EQ(transport.requests.size(), 3u);
}

TEST(Changes, a_missing_name_is_told_without_asking_a_server) {
  for (const std::string verb : {"pause", "resume", "enable", "disable", "reset", "cancel", "delete", "trigger"}) {
    ScriptedTransport transport;

    EXPECT_EQ(told_by(transport, {verb}).exit_code, 2) << verb;

    EXPECT_TRUE(transport.requests.empty()) << verb;
  }
}

/// A server with a schedule of the team, which can be deleted.
ScriptedTransport a_server_with_nightly() {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules/nightly", json::serialize(nightly("{}")));
  transport.answer("GET /api/v1/schedules?label=team%3Ddata&limit=500",
                   page_of({nightly("{}"), nightly(R"({"id": "hourly"})")}));
  transport.answer("POST /api/v1/schedules/batch", R"({"operation": "delete", "count": 1,
    "results": [{"id": "nightly", "ok": true}]})");
  transport.answer("POST /api/v1/schedules/batch?namespace=default", R"({"operation": "delete", "count": 2,
    "results": [{"id": "nightly", "ok": true}, {"id": "hourly", "ok": false, "code": "x", "message": "is held"}]})");
  return transport;
}

TEST(Delete, is_not_done_without_a_yes) {
  ScriptedTransport transport = a_server_with_nightly();

  const Told told = told_by(transport, {"delete", "nightly"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_TRUE(told.error.contains("delete 1 schedule: nightly")) << told.error;
  EXPECT_EQ(transport.requests.back().method, "GET");
}

TEST(Delete, asks_on_a_terminal) {
  for (const auto& [answer, exit_code] : {std::pair{"y\n", 0}, std::pair{"\n", 1}}) {
    ScriptedTransport transport = a_server_with_nightly();
    ScriptedConsole console = a_user_in_new_york();
    console.has_terminal = true;
    console.input = answer;

    const Told told = carillon_on(console, transport, {"delete", "nightly"});

    EXPECT_EQ(told.exit_code, exit_code);
    EXPECT_EQ(told.output, exit_code == 0 ? "nightly  deleted\n" : "");
  }
}

TEST(Delete, by_label_deletes_what_was_counted) {
  ScriptedTransport transport = a_server_with_nightly();

  EXPECT_EQ(told_by(transport, {"delete", "--label", "team=data", "--dry-run"}).output,
            "nightly  would be deleted\nhourly  would be deleted\n");
  const Told told = told_by(transport, {"delete", "--label", "team=data", "--yes"});

  EXPECT_EQ(told.exit_code, 1);
  EXPECT_EQ(told.output, "nightly  deleted\n");
  EXPECT_EQ(told.error, "hourly: is held\n");
  EXPECT_EQ(json::parse(transport.requests.back().body),
            json::parse(R"({"operation": "delete", "ids": ["nightly", "hourly"]})"));
}

TEST(StateCommands, are_about_all_schedules_with_a_label) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules?label=team%3Ddata&limit=500",
                   page_of({small_schedule("one"), small_schedule("two")}));
  transport.answer("POST /api/v1/schedules/one/disable", small_schedule("one", "disabled"));
  transport.answer("POST /api/v1/schedules/two/disable", small_schedule("two", "disabled"));

  const Told told = carillon_on(console, transport, {"disable", "-l", "team=data"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_TRUE(told.output.contains("one  disabled")) << told.output;
  EXPECT_TRUE(told.output.contains("two  disabled")) << told.output;
  EXPECT_EQ(carillon_on(console, transport, {"disable", "one", "-l", "team=data"}).exit_code, 2);
  EXPECT_EQ(carillon_on(console, transport, {"disable", "-l", "team=none"}).exit_code, 3);
}

TEST(StateCommands, say_how_many_runs_would_be_cancelled) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/hung/cancel?dryRun=true", R"({"cancelled": 2})", {}, 202);

  EXPECT_TRUE(
      carillon_on(console, transport, {"cancel", "hung", "--dry-run"}).output.contains("2 runs would be cancelled"));
}

}  // namespace
}  // namespace carillon::cli
