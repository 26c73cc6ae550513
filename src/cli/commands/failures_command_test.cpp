#include "support/api_documents.hpp"

#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

namespace json = boost::json;

json::object failed_run(std::string_view id, std::string_view schedule, std::string_view state, std::string_view error,
                        std::string_view ended) {
  json::object run = run_document(id, state, "2026-10-29T02:00:00Z", "2026-10-29T02:00:00Z", ended);
  run["schedule"] = schedule;
  run["error"] = error.empty() ? json::value{} : json::value(error);
  return run;
}

/// Runs are asked for from a week before the window on, since the server knows when they were queued, not their ends.
constexpr auto runs_of_a_day =
    "GET /api/v1/runs?state=failed%2Ctimed_out%2Clost%2Cexpired&since=2026-10-21T14%3A22%3A05Z&limit=500";
const std::vector<json::object> nothing;
constexpr auto stopped_schedules = "GET /api/v1/schedules?status=dead%2Cpaused&limit=500";

TEST(Failures, are_grouped_by_the_first_line_of_their_error_with_what_to_do_next) {
  ScriptedTransport transport;
  transport.answer(runs_of_a_day,
                   page_of({failed_run("r-3", "mail", "failed", "no route to host\nstack", "2026-10-29T12:00:00Z"),
                            failed_run("r-2", "etl", "timed_out", "", "2026-10-29T11:00:00Z"),
                            failed_run("r-1", "report", "failed", "no route to host", "2026-10-29T03:00:00Z")}));
  transport.answer(stopped_schedules, page_of(nothing));
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"failures"});

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_EQ(told.output, R"(3 runs failed since Wed 28 Oct 10:22:05 EDT

✗ failed 2 × no route to host
  Schedules mail, report
  First     Wed 28 Oct 23:00 EDT
  Last      Thu 29 Oct 08:00 EDT  r-3
  Next      carillon run logs r-3

✗ timed out 1 × took longer than its timeout
  Schedule  etl
  Last      Thu 29 Oct 07:00 EDT  r-2
  Next      carillon run logs r-2
)");
}

TEST(Failures, include_schedules_that_stand_still_because_of_them) {
  ScriptedTransport transport;
  transport.answer(runs_of_a_day, page_of(nothing));
  transport.answer(stopped_schedules,
                   page_of({with(schedule_document("etl", "0 4 * * *", "UTC"), R"({"status": "dead"})"),
                            with(schedule_document("mail", "0 4 * * *", "UTC"),
                                 R"({"status": "paused", "namespace": "billing", "pause": {"reason": "a run has failed",
                                     "until": null, "by": "carillon", "at": "2026-10-20T08:00:00Z"}})"),
                            with(schedule_document("sync", "0 4 * * *", "UTC"),
                                 R"({"status": "paused", "pause": {"reason": "holidays",
                                     "until": null, "by": "ops", "at": "2026-10-20T08:00:00Z"}})")}));
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"failures"});

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_TRUE(told.output.contains("2 schedules stopped by failures")) << told.output;
  EXPECT_TRUE(told.output.contains("Next      carillon reset etl\n")) << told.output;
  EXPECT_TRUE(told.output.contains("Next      carillon resume mail --namespace billing\n")) << told.output;
  EXPECT_FALSE(told.output.contains("sync")) << told.output;
}

TEST(Failures, of_which_there_are_none_are_said_to_be_none) {
  ScriptedTransport transport;
  transport.answer(
      "GET /api/v1/runs?state=failed%2Ctimed_out%2Clost%2Cexpired&since=2026-10-22T02%3A22%3A05Z&limit=500",
      page_of({failed_run("r-1", "etl", "failed", "exited with 3", "2026-10-29T02:00:00Z")}));
  transport.answer(stopped_schedules, page_of(nothing));
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"failures", "--since", "12h"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.output, "✔ no failures since Wed 28 Oct 22:22:05 EDT\n");
}

TEST(Failures, are_documents_for_programs) {
  ScriptedTransport transport;
  transport.answer(runs_of_a_day,
                   page_of({failed_run("r-1", "etl", "failed", "exited with 3", "2026-10-29T02:05:00Z")}));
  transport.answer(stopped_schedules, page_of(nothing));
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"failures", "-o", "jsonl"});

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_EQ(json::parse(told.output), json::parse(R"({"state": "failed", "error": "exited with 3", "count": 1,
      "namespace": "default", "schedules": ["etl"], "first": "2026-10-29T02:05:00Z", "last": "2026-10-29T02:05:00Z",
      "run": "r-1", "next": "carillon run logs r-1"})"));
}

}  // namespace
}  // namespace carillon::cli
