#include "support/api_documents.hpp"
#include "support/run_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <string>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;

constexpr auto items_run_request = "GET /api/v1/runs/r-80ab03aa";
constexpr auto items_request = "GET /api/v1/runs/r-80ab03aa/items?namespace=default&limit=500";

const std::string two_items =
    R"({"items":[{"index":0,"state":"succeeded","input":{"title":"Crash on start"},"output":{"severity":"high"},)"
    R"("rawText":null,"error":null,"usage":{"inputTokens":41,"outputTokens":9,"cost":0.0002}},)"
    R"({"index":1,"state":"failed","input":{"title":"Typo\u001b[2J"},"output":{"severity":null},)"
    R"("rawText":null,"error":"HTTP 400","usage":null}],"nextPageToken":null})";

boost::json::object run_with_items(std::string_view state, std::string_view items) {
  return with(run_document("r-80ab03aa", state, "2026-10-29T14:22:05Z", "2026-10-29T14:22:05Z", "2026-10-29T14:22:07Z"),
              items);
}

ScriptedTransport a_server_with_items() {
  ScriptedTransport transport;
  transport.answer(items_run_request, boost::json::serialize(run_with_items(
                                          "failed", R"({"itemsProcessed": 2, "itemsFailed": 1, "itemsTotal": 2,
                                     "usage": {"calls": 2, "inputTokens": 41, "outputTokens": 9, "cost": 1.844}})")));
  transport.answer(items_request, two_items);
  return transport;
}

TEST(PipelineItems, shows_what_became_of_each_and_how_to_ask_again) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport = a_server_with_items();

  const Told told = carillon_on(console, transport, {"pipeline", "items", "r-80ab03aa"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, R"(ITEM  STATE     TOKENS  COST    INPUT                 ANSWER
   1  ✔ ok      41+9    0.0002  title=Crash on start  severity=high
   2  ✗ failed  –       –       title=Typo\x1b[2J     HTTP 400
100%  2/2 items  1 failed  cost 1.84
ask only for those again: carillon run retry --failed-items r-80ab03aa
)");
}

TEST(PipelineItems, shows_only_failed_ones_where_they_are_asked_for) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport = a_server_with_items();
  transport.answer("GET /api/v1/runs/r-80ab03aa/items?namespace=default&state=failed&limit=500",
                   R"({"items":[],"nextPageToken":null})");

  const Told told = carillon_on(console, transport, {"pipeline", "items", "r-80ab03aa", "--failed"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.error, "no item has failed\n");
}

TEST(PipelineItems, are_for_programs_as_the_server_has_them) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport = a_server_with_items();

  const Told told = carillon_on(console, transport, {"pipeline", "items", "r-80ab03aa", "-o", "json"});

  EXPECT_EQ(boost::json::parse(told.output), boost::json::parse(two_items).at("items"));
}

TEST(PipelineItems, say_why_there_are_none) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer(items_run_request, boost::json::serialize(run_with_items("succeeded", "{}")));
  transport.refuse(items_request, 410,
                   R"({"title": "Gone", "code": "items_expired", "detail": "the items of run \"r-80ab03aa\" are not )"
                   R"(kept: .results/x.json is gone", "hint": "they are read from the result file"})");

  const Told told = carillon_on(console, transport, {"pipeline", "items", "r-80ab03aa"});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_THAT(told.error, HasSubstr("are not kept: .results/x.json is gone"));
}

TEST(RunRetry, of_failed_items_says_that_only_those_are_asked_again) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport = a_server_with_items();
  transport.answer("POST /api/v1/runs/r-80ab03aa/retry?namespace=default&failedItems=true",
                   R"({"decision":{"outcome":"started","reason":null},"run":)" + run_by_hand + "}", {}, 202);

  const Told told = carillon_on(console, transport, {"run", "retry", "--failed-items", "r-80ab03aa"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.error,
            "r-80aa12dd begins with the answers of r-80ab03aa: only what failed or was not answered is "
            "asked\n");
  EXPECT_THAT(told.output, HasSubstr("r-80aa12dd"));
}

TEST(History, has_a_column_for_items_where_runs_go_through_some) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules/daily-report",
                   boost::json::serialize(schedule_document("daily-report", "0 9 * * 1-5", "America/New_York")));
  transport.answer(
      "GET /api/v1/schedules/daily-report/runs?namespace=default&state=succeeded%2Cfailed&limit=2",
      page_of({run_with_items("succeeded", R"({"itemsProcessed": 1042, "itemsFailed": 0, "itemsTotal": 1042})"),
               run_with_items("failed", R"({"itemsProcessed": 42, "itemsFailed": 2, "itemsTotal": 50})")}));

  const Told told = carillon_on(
      console, transport, {"scheduler", "history", "daily-report", "--limit", "2", "--state", "succeeded,failed"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_THAT(told.output, HasSubstr("ATT.  ITEMS  RESULT    WHY\n"));
  EXPECT_THAT(told.output, HasSubstr("1     1,042  ✔ ok "));
  EXPECT_THAT(told.output, HasSubstr("1     40/50  ✗ failed"));
}

TEST(Trigger, shows_a_bar_to_who_waits_for_a_pipeline_at_a_terminal) {
  ScriptedConsole console = a_user_in_new_york();
  console.has_terminal = true;
  console.variables["NO_COLOR"] = "1";
  ScriptedTransport transport;
  auto schedule = schedule_document("daily-report", "0 9 * * 1-5", "America/New_York");
  schedule["action"] = {{"pipeline", {{"path", "daily-report"}}}};
  const std::string run = "GET /api/v1/runs/r-80ab03aa?namespace=default";
  transport.answer("GET /api/v1/schedules/daily-report?namespace=default", boost::json::serialize(schedule));
  transport.answer("POST /api/v1/schedules/daily-report/trigger",
                   R"({"decision":{"outcome":"started","reason":null},"run":)" +
                       boost::json::serialize(run_with_items("queued", "{}")) + "}",
                   {}, 202);
  transport.answer(run, boost::json::serialize(run_with_items("running", "{}")));
  transport.answer(run, boost::json::serialize(
                            run_with_items("running", R"({"itemsProcessed": 10, "itemsFailed": 0, "itemsTotal": 40,
                                           "progress": {"phase": "map", "remainingMs": 30000},
                                           "usage": {"calls": 10, "inputTokens": 1, "outputTokens": 1, "cost": 0.5}})")));
  transport.answer(run, boost::json::serialize(run_with_items("succeeded", R"({"itemsProcessed": 40})")));
  transport.answer("GET /api/v1/runs/r-80ab03aa/logs?attempt=1&offset=0&follow=true&namespace=default", "done\n");

  const Told told = carillon_on(console, transport, {"trigger", "daily-report", "--wait"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_THAT(told.error, HasSubstr("\r█████░░░░░░░░░░░░░░░  25%  10/40 items  eta 30s  cost 0.5000\x1b[K\r\x1b[K"));
  EXPECT_THAT(told.output, HasSubstr("done\n"));
}

}  // namespace
}  // namespace carillon::cli
