#include "support/command_line_fixture.hpp"
#include "support/run_documents.hpp"

#include <gtest/gtest.h>

#include <string>

namespace carillon::cli {
namespace {

const std::string all_runs = page_of({run_that_waits, run_by_hand, run_that_succeeded, run_that_failed});

TEST(RunList, shows_when_runs_were_due_how_late_they_began_and_how_they_ended) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs?limit=500", all_runs);

  const Told told = carillon_on(console, transport, {"run", "list"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(told.output, R"(RUN         SCHEDULE      DUE                  STARTED   LATE  TOOK    ATT.  RESULT     WHY
r-80ac0001  –             Thu 29 Oct 10:22     –         –     –       0     ⧗ queued   ad hoc
r-80aa12dd  nightly-etl   Thu 29 Oct 10:17:54  10:17:55  0.1s  4m10s   1     ▶ running  by hand
r-7f3a91c2  daily-report  Thu 29 Oct 09:00     09:00:00  0.1s  2m35s   1     ✔ ok       scheduled
r-7c0b77e0  daily-report  Fri 23 Oct 09:00     09:00:00  0.1s  33m10s  2     ✗ failed   scheduled; exited with 3
4 runs · times in America/New_York
)");
}

TEST(RunList, says_which_run_is_a_retry_of_which) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  std::string retried = run_by_hand;
  retried.replace(retried.find("796256ff"), 8, "796256ff-of-r-7c0b77e0");
  transport.answer("GET /api/v1/runs?limit=500", page_of({retried}));

  const Told told = carillon_on(console, transport, {"run", "list"});

  EXPECT_NE(told.output.find("▶ running  retry of r-7c0b77e0\n"), std::string::npos) << told.output;
}

TEST(RunShow, tells_the_items_of_a_pipeline_and_whose_answers_it_began_with) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  std::string retried = run_by_hand;
  retried.replace(retried.find("796256ff"), 8, "796256ff-failed-items-of-r-7c0b77e0");
  const std::string nothing_known = R"("itemsProcessed":null,"resultFile":null,)";
  retried.replace(retried.find(nothing_known), nothing_known.size(),
                  R"("itemsProcessed":3,"itemsFailed":0,"itemsTotal":3,"resultFile":".results/x.json",)"
                  R"("usage":{"calls":4,"inputTokens":41,"outputTokens":9,"cost":null},)");
  transport.answer("GET /api/v1/runs/r-80aa12dd", retried);

  const Told told = carillon_on(console, transport, {"run", "show", "r-80aa12dd"});

  EXPECT_NE(told.output.find("  Source     retry of failed items of r-7c0b77e0 · revision 1\n"), std::string::npos)
      << told.output;
  EXPECT_NE(told.output.find("  Items      100%  3/3 items · 4 calls, 41+9 tokens · .results/x.json\n"),
            std::string::npos)
      << told.output;
}

TEST(RunLogs, say_that_a_log_is_no_longer_kept) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7c0b77e0", run_that_failed);
  transport.refuse(
      "GET /api/v1/runs/r-7c0b77e0/logs?offset=0&namespace=default", 410,
      R"({"title": "Gone", "code": "log_expired", "detail": "the log of run r-7c0b77e0 is no longer kept",)"
      R"("hint": "logs are kept for 7 days"})");

  const Told told = carillon_on(console, transport, {"run", "logs", "r-7c0b77e0"});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_NE(told.error.find("error: the log of run r-7c0b77e0 is no longer kept."), std::string::npos) << told.error;
  EXPECT_NE(told.error.find("Hint: logs are kept for 7 days"), std::string::npos) << told.error;
}

TEST(RunList, has_colours_where_they_are_wanted) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs?limit=500", page_of({run_that_failed}));

  const Told told = carillon_on(console, transport, {"run", "list", "--color", "always"});

  EXPECT_NE(told.output.find("\x1b[31m✗ failed\x1b[0m"), std::string::npos) << told.output;
}

TEST(RunList, keeps_to_ascii_where_the_locale_does) {
  ScriptedConsole console = console_in_new_york();
  console.variables["LANG"] = "C";
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs?limit=500", all_runs);

  const Told told = carillon_on(console, transport, {"run", "list"});

  EXPECT_EQ(told.output, R"(RUN         SCHEDULE      DUE                  STARTED   LATE  TOOK    ATT.  RESULT     WHY
r-80ac0001  -             Thu 29 Oct 10:22     -         -     -       0     ~ queued   ad hoc
r-80aa12dd  nightly-etl   Thu 29 Oct 10:17:54  10:17:55  0.1s  4m10s   1     > running  by hand
r-7f3a91c2  daily-report  Thu 29 Oct 09:00     09:00:00  0.1s  2m35s   1     ok ok      scheduled
r-7c0b77e0  daily-report  Fri 23 Oct 09:00     09:00:00  0.1s  33m10s  2     x failed   scheduled; exited with 3
4 runs - times in America/New_York
)");
}

TEST(RunList, asks_for_what_the_filters_say) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules/daily-report", small_schedule("daily-report"));
  transport.answer(
      "GET /api/v1/runs?state=failed%2Clost&source=schedule&schedule=daily-report&since=2026-10-22T14%3A22%3A05Z"
      "&limit=500",
      page_of({run_that_failed}));

  const Told told = carillon_on(console, transport,
                                {"run", "list", "--state", "failed,lost", "--source", "schedule", "--since", "7d",
                                 "--schedule", "daily-report", "-q"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "r-7c0b77e0\n");
}

TEST(RunList, knows_what_now_is) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs?since=2026-10-29T14%3A22%3A05Z&limit=500", page_of({run_by_hand}));

  EXPECT_EQ(carillon_on(console, transport, {"run", "list", "--since", "now", "-q"}).output, "r-80aa12dd\n");
}

TEST(RunList, refuses_a_time_that_is_none) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;

  const Told told = carillon_on(console, transport, {"run", "list", "--since", "last week"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_NE(told.error.find("for example 2h"), std::string::npos) << told.error;
}

TEST(RunList, says_on_standard_error_that_there_are_none) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs?limit=500", page_of(std::vector<std::string>{}));

  const Told told = carillon_on(console, transport, {"run", "list"});

  EXPECT_EQ(told.output, "");
  EXPECT_NE(told.error, "");
}

TEST(RunShow, tells_the_times_every_try_and_why) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7c0b77e0", run_that_failed);

  const Told told = carillon_on(console, transport, {"run", "show", "r-7c0b77e0"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, R"(r-7c0b77e0  daily-report                                                ✗ failed
  Name       daily-report@2026-10-23T13:00:00Z
  Source     scheduled · revision 3
  Due        Fri 23 Oct 09:00 EDT
  Queued     Fri 23 Oct 09:00 EDT
  Started    Fri 23 Oct 09:00 EDT · late 0.1s
  Ended      Fri 23 Oct 09:33:10 EDT · took 33m10s
  Attempts   1  09:00:00  10m00s  ✗ timed out  timed out after 10m  vm-6143
             2  09:11:00  22m10s  ✗ failed     exited with 3        vm-6143
  Error      exited with 3
  Why        scheduled for Fri 23 Oct 09:00 EDT (revision 3); attempt 2 failed: exited with 3
  Log        carillon run logs r-7c0b77e0
)");
}

TEST(RunShow, has_the_result_of_one_that_succeeded) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7f3a91c2", run_that_succeeded);

  const Told told = carillon_on(console, transport, {"run", "show", "r-7f3a91c2"});

  EXPECT_EQ(told.output, R"(r-7f3a91c2  daily-report                                                ✔ ok
  Name       daily-report@2026-10-29T13:00:00Z
  Source     scheduled · revision 3
  Due        Thu 29 Oct 09:00 EDT
  Queued     Thu 29 Oct 09:00 EDT
  Started    Thu 29 Oct 09:00 EDT · late 0.1s
  Ended      Thu 29 Oct 09:02:35 EDT · took 2m35s
  Result     {"bugs":42}
  Why        scheduled for Thu 29 Oct 09:00 EDT (revision 3); attempt 1 succeeded
  Log        carillon run logs r-7f3a91c2
)");
}

TEST(RunShow, finds_a_run_by_the_beginning_of_its_id) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs?limit=500", all_runs);
  transport.answer("GET /api/v1/runs/r-7f3a91c2?namespace=default", run_that_succeeded);

  const Told told = carillon_on(console, transport, {"run", "show", "r-7f", "-o", "json"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_NE(told.output.find(R"("id": "r-7f3a91c2")"), std::string::npos) << told.output;
}

TEST(RunShow, finds_a_run_by_its_name) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/daily-report%402026-10-29T13%3A00%3A00Z", run_that_succeeded);

  const Told told = carillon_on(console, transport, {"run", "show", "daily-report@2026-10-29T13:00:00Z", "-o", "yaml"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
}

TEST(RunShow, lists_the_candidates_of_a_beginning_that_several_have) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs?limit=500", all_runs);

  const Told told = carillon_on(console, transport, {"run", "show", "r-7"});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_NE(told.error.find("matches 2 runs"), std::string::npos) << told.error;
  EXPECT_NE(told.error.find("r-7c0b77e0 (daily-report@2026-10-23T13:00:00Z)"), std::string::npos) << told.error;
}

TEST(RunShow, of_what_is_not_there_is_not_found) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs?limit=500", all_runs);

  EXPECT_EQ(carillon_on(console, transport, {"run", "show", "r-nope"}).exit_code, 3);
}

TEST(RunShow, lets_no_text_of_the_server_command_the_terminal) {
  std::string hostile = run_that_failed;
  hostile.replace(hostile.find("exited with 3\",\"itemsProcessed"), 13, "\\u001b[2Jgone");
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7c0b77e0", hostile);

  const Told told = carillon_on(console, transport, {"run", "show", "r-7c0b77e0"});

  EXPECT_EQ(told.output.find('\x1b'), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("gone"), std::string::npos) << told.output;
}

TEST(RunCancel, asks_the_server_and_shows_the_run) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-80aa12dd", run_by_hand);
  transport.answer("POST /api/v1/runs/r-80aa12dd/cancel?namespace=default", run_by_hand, {}, 202);

  const Told told = carillon_on(console, transport, {"run", "cancel", "r-80aa12dd"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "▶ running  r-80aa12dd  nightly-etl  for 4m10s · asked to stop\n");
}

TEST(RunCancel, waits_for_the_end_when_asked_to) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-80aa12dd", run_by_hand);
  transport.answer("POST /api/v1/runs/r-80aa12dd/cancel?namespace=default", run_by_hand, {}, 202);
  std::string ended = run_by_hand;
  ended.replace(ended.find("\"running\""), 9, "\"cancelled\"");
  transport.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", ended);

  const Told told = carillon_on(console, transport, {"run", "cancel", "r-80aa12dd", "--wait"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_TRUE(told.output.starts_with("⊘ cancelled  r-80aa12dd")) << told.output;
}

TEST(RunCancel, is_pending_when_the_run_outlasts_the_timeout) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-80aa12dd", run_by_hand);
  transport.answer("POST /api/v1/runs/r-80aa12dd/cancel?namespace=default", run_by_hand, {}, 202);

  EXPECT_EQ(carillon_on(console, transport, {"run", "cancel", "r-80aa12dd", "--wait", "--timeout", "0s"}).exit_code, 8);
}

TEST(RunCancel, of_one_that_has_ended_is_a_conflict) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7f3a91c2", run_that_succeeded);
  transport.refuse("POST /api/v1/runs/r-7f3a91c2/cancel?namespace=default", 409,
                   R"({"title":"It has ended","code":"ended","detail":"run r-7f3a91c2 has ended"})");

  EXPECT_EQ(carillon_on(console, transport, {"run", "cancel", "r-7f3a91c2"}).exit_code, 5);
}

TEST(RunRetry, prints_the_id_of_the_new_run_for_other_commands) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7c0b77e0", run_that_failed);
  transport.answer("POST /api/v1/runs/r-7c0b77e0/retry?namespace=default",
                   R"({"decision":{"outcome":"started","reason":null},"run":)" + run_by_hand + "}", {}, 202);

  const Told told = carillon_on(console, transport, {"run", "retry", "r-7c0b77e0", "-q", "--idempotency-key", "once"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "r-80aa12dd\n");
  EXPECT_EQ(transport.header("Idempotency-Key"), "once");
}

TEST(RunRetry, that_starts_nothing_says_why) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7c0b77e0", run_that_failed);
  transport.answer("POST /api/v1/runs/r-7c0b77e0/retry?namespace=default",
                   R"({"decision":{"outcome":"skipped","reason":"overlap"},"run":null})", {}, 202);

  const Told told = carillon_on(console, transport, {"run", "retry", "r-7c0b77e0"});

  EXPECT_EQ(told.exit_code, 5);
  EXPECT_EQ(told.output, "⊘ not started: skipped overlap\n");
}

TEST(RunWait, ends_with_the_run_and_tells_by_its_exit_code_how) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7c0b77e0", run_that_failed);
  transport.answer("GET /api/v1/runs/r-7f3a91c2", run_that_succeeded);

  const Told failed = carillon_on(console, transport, {"run", "wait", "r-7c0b77e0"});
  EXPECT_EQ(failed.exit_code, 10);
  EXPECT_EQ(failed.output, "✗ failed  r-7c0b77e0  daily-report  took 33m10s · exited with 3\n");
  EXPECT_EQ(carillon_on(console, transport, {"run", "wait", "r-7f3a91c2", "-q"}).exit_code, 0);
}

TEST(RunWait, looks_again_until_it_has_ended) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-80aa12dd", run_by_hand);
  std::string ended = run_by_hand;
  ended.replace(ended.find("\"running\""), 9, "\"succeeded\"");
  transport.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", ended);

  EXPECT_EQ(carillon_on(console, transport, {"run", "wait", "r-80aa12dd"}).exit_code, 0);
  EXPECT_EQ(transport.requests.size(), 2U);
}

TEST(RunWait, is_still_pending_after_its_timeout) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-80aa12dd", run_by_hand);

  const Told told = carillon_on(console, transport, {"run", "wait", "r-80aa12dd", "--timeout", "0s"});

  EXPECT_EQ(told.exit_code, 8);
}

TEST(RunWait, refuses_a_timeout_without_a_unit) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;

  EXPECT_EQ(carillon_on(console, transport, {"run", "wait", "r-80aa12dd", "--timeout", "30"}).exit_code, 2);
}

}  // namespace
}  // namespace carillon::cli
