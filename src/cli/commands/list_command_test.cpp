#include "support/api_documents.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace carillon::cli {
namespace {

namespace json = boost::json;

json::array ten_runs(std::string_view states, const json::object& newest) {
  json::array runs{newest};
  for (std::size_t i = 1; i < states.size(); ++i) {
    const char letter = states[states.size() - 1 - i];
    const std::string_view state = letter == '+' ? "succeeded" : letter == 'x' ? "failed" : "skipped";
    runs.push_back(run_document("r-0000000000", state, "2026-10-20T13:00:00Z"));
  }
  return runs;
}

/// The four schedules of the reference, as they are listed for people and for programs.
void answer_small(ScriptedTransport& transport) {
  auto report = with(schedule_document("daily-report", "0 9 * * 1-5", "America/New_York"),
                     R"({"nextDueAt": "2026-10-30T13:00:00Z"})");
  auto monitor = with(schedule_document("queue-monitor", "*/15 9-17 * * 1-5", "Europe/Berlin"),
                      R"({"nextDueAt": "2026-10-29T16:00:00Z"})");
  auto etl = with(schedule_document("nightly-etl", "0 4 * * *", "UTC"),
                  R"({"nextDueAt": "2026-10-30T04:00:00Z", "activity": "running", "running": 1})");
  auto sync = with(schedule_document("weekly-sync", "0 0 * * 0", "America/New_York"),
                   R"({"status": "paused", "pause": {"reason": "API quota", "until": null, "by": "ops",
                       "at": "2026-10-26T08:00:00Z"}})");
  transport.answer("GET /api/v1/schedules?limit=500", page_of({report, monitor, etl, sync}));

  report["recent"] = ten_runs("+++++x+-++", run_document("r-7f3a91aa", "succeeded", "2026-10-29T13:00:00Z",
                                                         "2026-10-29T13:00:00.1Z", "2026-10-29T13:02:35.1Z"));
  monitor["recent"] = ten_runs("++++++++++", run_document("r-7f3a91ab", "succeeded", "2026-10-29T01:00:00Z",
                                                          "2026-10-29T01:00:00Z", "2026-10-29T01:00:08Z"));
  etl["recent"] =
      ten_runs("++++++++++", with(run_document("r-7f3a91ac", "running", "2026-10-29T14:17:55Z", "2026-10-29T14:17:55Z"),
                                  R"({"source": "trigger"})"));
  sync["recent"] = ten_runs("++++xxxxxx", run_document("r-7f3a91ad", "failed", "2026-10-25T04:00:00Z",
                                                       "2026-10-25T04:00:00Z", "2026-10-25T04:01:00Z"));
  for (const std::string limit : {"50", "500"})  // on a terminal and elsewhere
    transport.answer("GET /api/v1/schedules?recent=10&limit=" + limit, page_of({report, monitor, etl, sync}));
}

Told list_told(ScriptedConsole console, std::vector<std::string> words = {"list"}) {
  ScriptedTransport transport;
  answer_small(transport);
  return carillon_on(console, transport, words);
}

TEST(List, says_which_queue_is_paused) {
  ScriptedTransport transport;
  auto etl = with(schedule_document("nightly-etl", "0 4 * * *", "UTC"), R"({"activity": "running", "running": 1})");
  etl["recent"] =
      json::array{with(run_document("r-7f3a91ac", "queued", "2026-10-29T14:17:55Z"),
                       R"({"waitingFor": {"what": "paused_queue", "queue": "@command", "pausedBy": "admin"}})")};
  transport.answer("GET /api/v1/schedules?recent=10&limit=500", page_of({etl}));
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"list"});

  EXPECT_TRUE(told.output.contains("\n⧗  nightly-etl")) << told.output;
  EXPECT_TRUE(told.output.contains("⧗ queue paused")) << told.output;
  EXPECT_TRUE(told.output.contains("1 schedule · 1 waiting")) << told.output;
  EXPECT_TRUE(told.output.ends_with("⚠ queue @command is paused by admin → carillon queue resume @command\n"))
      << told.output;
}

TEST(List, shows_files_that_should_define_a_schedule_and_do_not) {
  ScriptedTransport transport;
  std::string page = page_of({schedule_document("nightly-etl", "0 4 * * *", "UTC")});
  page.insert(page.rfind('}'), R"(, "brokenFiles": ["new/pipeline.yaml:3:9: the hour is 99"])");
  transport.answer("GET /api/v1/schedules?recent=10&limit=500", page);
  transport.answer("GET /api/v1/schedules?limit=500", page);

  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"}, {"list", "-o", "json"}}) {
    ScriptedConsole console;
    const Told told = carillon_on(console, transport, words);

    EXPECT_EQ(told.error, "⚠ not scheduled: new/pipeline.yaml:3:9: the hour is 99\n");
    EXPECT_NE(told.output.find("nightly-etl"), std::string::npos);
    EXPECT_EQ(told.output.find("99"), std::string::npos);
  }
}

TEST(List, shows_when_when_next_and_how_it_went) {
  const Told told = list_told(a_user_in_new_york());

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(
      told.output,
      R"(   NAME           WHEN                                                                         NEXT                        IN      LAST               LAST 10
●  daily-report   At 09:00, Monday to Friday (America/New_York)                                Fri 30 Oct 09:00 EDT        22h37m  ✔ 1h19m ago 2m35s  ✔✔✔✔✔✗✔⊘✔✔  ⚠ dst Sun
●  queue-monitor  Every 15 minutes from 09:00 through 17:45, Monday to Friday (Europe/Berlin)  Thu 29 Oct 12:00 EDT         1h37m  ✔ 13h21m ago 8.0s  ✔✔✔✔✔✔✔✔✔✔
▶  nightly-etl    At 04:00 every day                                                           Fri 30 Oct 00:00 EDT        13h37m  ▶ 4m10s (manual)   ✔✔✔✔✔✔✔✔✔▶
‖  weekly-sync    At 00:00 on Sunday (America/New_York)                                        paused by ops: "API quota"          ✗ 4d10h ago 1m00s  ✔✔✔✔✗✗✗✗✗✗
4 schedules · 1 running · 1 paused · times in America/New_York · 1 warning → carillon status daily-report
)");
}

TEST(List, is_one_request_however_many_there_are) {
  ScriptedTransport transport;
  std::vector<json::object> many;
  for (int i = 0; i < 300; ++i) {
    auto schedule = schedule_document(fmt::format("s{}", i), "0 4 * * *", "UTC");
    schedule["recent"] = ten_runs("++++++++x+", run_document("r-7f3a91aa", "succeeded", "2026-10-29T13:00:00Z",
                                                             "2026-10-29T13:00:00Z", "2026-10-29T13:02:35Z"));
    many.push_back(std::move(schedule));
  }
  transport.answer("GET /api/v1/schedules?recent=10&limit=300", page_of(many));
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"list", "--limit", "300"});

  EXPECT_EQ(transport.requests.size(), 1u);
  std::size_t filled_count = 0;
  for (std::size_t at = 0; (at = told.output.find("✔ 1h19m ago 2m35s  ✔✔✔✔✔✔✔✔✗✔", at)) != std::string::npos; ++at)
    ++filled_count;
  EXPECT_EQ(filled_count, 300u) << told.output;
}

TEST(List, of_a_server_that_sends_no_runs_leaves_their_columns_empty) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules?recent=10&limit=500",
                   page_of({schedule_document("nightly-etl", "0 4 * * *", "UTC")}));
  ScriptedConsole console = a_user_in_new_york();

  EXPECT_TRUE(carillon_on(console, transport, {"list"}).output.contains("At 04:00 every day  never"));
}

TEST(List, of_a_server_that_cannot_be_asked_for_runs_is_a_list_without_them) {
  ScriptedTransport transport;
  transport.refuse("GET /api/v1/schedules?recent=10&limit=500", 400,
                   R"({"title": "Invalid", "status": 400, "code": "invalid",
                       "detail": "?recent: unknown parameter \"recent\""})");
  transport.answer("GET /api/v1/schedules?limit=500", page_of({schedule_document("nightly-etl", "0 4 * * *", "UTC")}));
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"list"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_TRUE(told.output.contains("nightly-etl")) << told.output;
}

TEST(List, for_programs_does_not_ask_for_runs) {
  const Told told = list_told(a_user_in_new_york(), {"list", "-o", "jsonl"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_FALSE(told.output.contains("\"recent\"")) << told.output;
}

/// So many schedules, in two pages.
void answer_in_two_pages(ScriptedTransport& transport, const std::string& query) {
  json::array first;
  for (int i = 0; i < 2; ++i) first.push_back(schedule_document(fmt::format("s{}", i), "0 4 * * *", "UTC"));
  transport.answer("GET /api/v1/schedules?" + query,
                   json::serialize(json::object{{"items", first}, {"total", 3}, {"nextPageToken", "n~2"}}));
  transport.answer("GET /api/v1/schedules?" + query + "&pageToken=n~2",
                   json::serialize(json::object{{"items", json::array{schedule_document("s2", "0 4 * * *", "UTC")}},
                                                {"total", 3},
                                                {"nextPageToken", nullptr}}));
}

TEST(List, for_programs_has_all_pages) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list", "-q"}, {"list", "--json", "id"}}) {
    ScriptedTransport transport;
    answer_in_two_pages(transport, "limit=500");
    ScriptedConsole console = a_user_in_new_york();
    console.has_terminal = true;

    const Told told = carillon_on(console, transport, words);

    EXPECT_TRUE(told.output.contains("s0") && told.output.contains("s2")) << told.output;
    EXPECT_EQ(told.error, "");
  }
}

TEST(List, into_a_pipe_has_all_pages) {
  ScriptedTransport transport;
  answer_in_two_pages(transport, "recent=10&limit=500");
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"list"});

  EXPECT_TRUE(told.output.contains("s2")) << told.output;
  EXPECT_EQ(told.error, "");
}

TEST(List, on_a_terminal_says_how_many_are_left_out_and_how_to_see_them) {
  ScriptedTransport transport;
  std::vector<json::object> many;
  for (int i = 0; i < 50; ++i) many.push_back(schedule_document(fmt::format("s{}", i), "0 4 * * *", "UTC"));
  json::object page = json::parse(page_of(many)).as_object();
  page["total"] = 5000;
  page["nextPageToken"] = "n~50";
  transport.answer("GET /api/v1/schedules?recent=10&limit=50", json::serialize(page));
  ScriptedConsole console = a_user_in_new_york();
  console.has_terminal = true;

  const Told told = carillon_on(console, transport, {"list"});

  EXPECT_EQ(told.error, "4950 more schedules are not shown; show all: --limit 5000\n");
}

TEST(List, tells_a_filter_that_nothing_matches_from_a_server_without_schedules) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules?q=etl&recent=10&limit=500", page_of(std::vector<json::object>{}));
  transport.answer("GET /api/v1/schedules?recent=10&limit=500", page_of(std::vector<json::object>{}));
  ScriptedConsole filtered = a_user_in_new_york();
  ScriptedConsole plain = a_user_in_new_york();

  EXPECT_EQ(carillon_on(filtered, transport, {"list", "etl"}).error, "no schedule matches; see all: carillon list\n");
  EXPECT_EQ(carillon_on(plain, transport, {"list"}).error,
            "no schedules; add one: carillon add · from files: carillon apply\n");
}

TEST(List, names_failing_among_the_statuses_it_knows) {
  ScriptedTransport transport;
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"list", "--status", "paused,lost"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_TRUE(told.error.contains("--status: unknown status \"lost\"")) << told.error;
  EXPECT_TRUE(told.error.contains("one of active, paused, disabled, done, dead, failing")) << told.error;
}

TEST(List, of_those_that_fail_has_all_whose_newest_run_failed) {
  ScriptedTransport transport;
  const auto one = [](std::string_view id, std::string_view members) {
    return with(schedule_document(id, "0 4 * * *", "UTC"), members);
  };
  transport.answer(
      "GET /api/v1/schedules?recent=10&limit=500",
      page_of({one("broken", R"({"activity": "error"})"), one("dead", R"({"status": "dead"})"), one("fine", "{}"),
               one("off", R"({"status": "disabled", "activity": "error"})"),
               one("recovered",
                   R"({"lastSuccessAt": "2026-10-29T13:00:00Z", "stats": {"lastFailure": "2026-10-29T12:00:00Z"}})"),
               one("trying", R"({"activity": "running", "lastSuccessAt": "2026-10-29T11:00:00Z",
                                "stats": {"lastFailure": "2026-10-29T12:00:00Z"}})")}));
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"list", "--status", "failing"});

  for (const std::string_view id : {"broken", "dead", "trying"}) EXPECT_TRUE(told.output.contains(id)) << id;
  for (const std::string_view id : {"fine", "off", "recovered"}) EXPECT_FALSE(told.output.contains(id)) << id;
  EXPECT_TRUE(told.output.contains("3 schedules")) << told.output;
  EXPECT_TRUE(told.output.contains(" · 3 failing → carillon failures")) << told.output;
}

TEST(List, knows_the_age_of_a_run_to_the_moment_and_never_below_nothing) {
  ScriptedTransport transport;
  auto etl = with(schedule_document("etl", "0 4 * * *", "UTC"), R"({"activity": "running", "running": 1})");
  auto mail = etl;
  mail["id"] = "mail";
  etl["recent"] = json::array{run_document("r-7f3a91ac", "running", "2026-10-29T14:22:00Z", "2026-10-29T14:22:00.3Z")};
  mail["recent"] = json::array{run_document("r-7f3a91ad", "running", "2026-10-29T14:22:00Z", "2026-10-29T14:22:08Z")};
  transport.answer("GET /api/v1/schedules?recent=10&limit=500", page_of({etl, mail}));
  ScriptedConsole console = a_user_in_new_york();
  console.time += std::chrono::milliseconds{400};

  const Told told = carillon_on(console, transport, {"list"});

  EXPECT_TRUE(told.output.contains("▶ 5s")) << told.output;
  EXPECT_TRUE(told.output.contains("▶ 0s")) << told.output;
}

TEST(List, shows_until_when_a_schedule_is_paused) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules?recent=10&limit=500",
                   page_of({with(schedule_document("sync", "0 4 * * *", "UTC"),
                                 R"({"status": "paused", "pause": {"reason": "holidays", "by": "ops",
                                     "until": "2026-10-30T14:22:05Z", "at": "2026-10-20T08:00:00Z"}})")}));
  ScriptedConsole console = a_user_in_new_york();

  const Told told = carillon_on(console, transport, {"list"});

  EXPECT_TRUE(told.output.contains("paused by ops until Fri 30 Oct 10:22:05 EDT: \"holidays\"  1d0h")) << told.output;
}

TEST(List, is_also_a_word_behind_scheduler) {
  EXPECT_EQ(list_told(a_user_in_new_york(), {"scheduler", "list"}).output, list_told(a_user_in_new_york()).output);
}

TEST(List, has_colours_on_a_terminal) {
  ScriptedConsole console = a_user_in_new_york();
  console.has_terminal = true;

  EXPECT_EQ(
      list_told(console).output,
      "   \x1b[1mNAME\x1b[0m           \x1b[1mWHEN\x1b[0m                                                              "
      "           \x1b[1mNEXT\x1b[0m                        \x1b[1mIN\x1b[0m      \x1b[1mLAST\x1b[0m               "
      "\x1b[1mLAST 10\x1b[0m\n"
      "\x1b[32m●\x1b[0m  daily-report   At 09:00, Monday to Friday (America/New_York)                                "
      "Fri 30 Oct 09:00 EDT        22h37m  ✔ 1h19m ago 2m35s  "
      "\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[31m✗\x1b[0m\x1b[32m✔\x1b["
      "0m\x1b[33m⊘\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m  \x1b[33m⚠ dst Sun\x1b[0m\n"
      "\x1b[32m●\x1b[0m  queue-monitor  Every 15 minutes from 09:00 through 17:45, Monday to Friday (Europe/Berlin)  "
      "Thu 29 Oct 12:00 EDT         1h37m  ✔ 13h21m ago 8.0s  "
      "\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b["
      "0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\n"
      "\x1b[32m▶\x1b[0m  nightly-etl    At 04:00 every day                                                           "
      "Fri 30 Oct 00:00 EDT        13h37m  ▶ 4m10s (manual)   "
      "\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b["
      "0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m▶\x1b[0m\n"
      "\x1b[33m‖\x1b[0m  weekly-sync    At 00:00 on Sunday (America/New_York)                                        "
      "paused by ops: \"API quota\"          ✗ 4d10h ago 1m00s  "
      "\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[32m✔\x1b[0m\x1b[31m✗\x1b[0m\x1b[31m✗\x1b[0m\x1b[31m✗\x1b["
      "0m\x1b[31m✗\x1b[0m\x1b[31m✗\x1b[0m\x1b[31m✗\x1b[0m\n"
      "4 schedules · 1 running · 1 paused · times in America/New_York · 1 warning → carillon status daily-report\n");
}

TEST(List, lines_up_in_ascii_too) {
  ScriptedConsole console = a_user_in_new_york();
  console.variables["LANG"] = "C";

  EXPECT_EQ(
      list_told(console).output,
      R"(   NAME           WHEN                                                                         NEXT                        IN      LAST                LAST 10
*  daily-report   At 09:00, Monday to Friday (America/New_York)                                Fri 30 Oct 09:00 EDT        22h37m  ok 1h19m ago 2m35s  ok ok ok ok ok x ok - ok ok    ! dst Sun
*  queue-monitor  Every 15 minutes from 09:00 through 17:45, Monday to Friday (Europe/Berlin)  Thu 29 Oct 12:00 EDT         1h37m  ok 13h21m ago 8.0s  ok ok ok ok ok ok ok ok ok ok
>  nightly-etl    At 04:00 every day                                                           Fri 30 Oct 00:00 EDT        13h37m  > 4m10s (manual)    ok ok ok ok ok ok ok ok ok >
=  weekly-sync    At 00:00 on Sunday (America/New_York)                                        paused by ops: "API quota"          x 4d10h ago 1m00s   ok ok ok ok x x x x x x
4 schedules - 1 running - 1 paused - times in America/New_York - 1 warning -> carillon status daily-report
)");
}

TEST(List, gives_up_the_sentence_first_on_a_narrow_terminal) {
  ScriptedConsole console = a_user_in_new_york();
  console.has_terminal = true;
  console.terminal_columns = 120;
  console.variables["NO_COLOR"] = "1";

  EXPECT_EQ(
      list_told(console).output,
      R"(   NAME           WHEN                      NEXT                        IN      LAST               LAST 10
●  daily-report   At 09:00, Monday to Fri…  Fri 30 Oct 09:00 EDT        22h37m  ✔ 1h19m ago 2m35s  ✔✔✔✔✔✗✔⊘✔✔  ⚠ dst Sun
●  queue-monitor  Every 15 minutes from 0…  Thu 29 Oct 12:00 EDT         1h37m  ✔ 13h21m ago 8.0s  ✔✔✔✔✔✔✔✔✔✔
▶  nightly-etl    At 04:00 every day        Fri 30 Oct 00:00 EDT        13h37m  ▶ 4m10s (manual)   ✔✔✔✔✔✔✔✔✔▶
‖  weekly-sync    At 00:00 on Sunday (Ame…  paused by ops: "API quota"          ✗ 4d10h ago 1m00s  ✔✔✔✔✗✗✗✗✗✗
4 schedules · 1 running · 1 paused · times in America/New_York · 1 warning → carillon status daily-report
)");

  console.variables["COLUMNS"] = "80";
  EXPECT_EQ(list_told(console).output, R"(   NAME           NEXT                        IN      LAST
●  daily-report   Fri 30 Oct 09:00 EDT        22h37m  ✔ 1h19m ago 2m…  ⚠ dst Sun
●  queue-monitor  Thu 29 Oct 12:00 EDT         1h37m  ✔ 13h21m ago 8…
▶  nightly-etl    Fri 30 Oct 00:00 EDT        13h37m  ▶ 4m10s (manua…
‖  weekly-sync    paused by ops: "API quota"          ✗ 4d10h ago 1m…
4 schedules · 1 running · 1 paused · times in America/New_York · 1 warning → carillon status daily-report
)");
}

TEST(List, cuts_nothing_for_a_file_whatever_columns_says) {
  ScriptedConsole console = a_user_in_new_york();
  console.variables["COLUMNS"] = "40";

  EXPECT_EQ(list_told(console).output, list_told(a_user_in_new_york()).output);
}

TEST(List, names_only_for_scripts) {
  EXPECT_EQ(list_told(a_user_in_new_york(), {"list", "-q"}).output,
            "daily-report\nqueue-monitor\nnightly-etl\nweekly-sync\n");
}

TEST(List, an_unreachable_server_is_exit_6_with_what_helps) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.is_reachable = false;

  const Told told = carillon_on(console, transport, {"list"});

  EXPECT_EQ(told.exit_code, 6);
  EXPECT_EQ(told.output, "");
  EXPECT_TRUE(told.error.contains("[unreachable] exit 6")) << told.error;
}

TEST(List, shows_names_with_the_id_where_that_is_another_one) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  boost::json::object party = schedule_document("n-c-d-party", "0 9 * * *", "UTC");
  party["name"] = "Ünïcödé 🎉 party";
  transport.answer("GET /api/v1/schedules?recent=10&limit=500", page_of({party}));

  const Told told = carillon_on(console, transport, {"list"});

  EXPECT_TRUE(told.output.contains("Ünïcödé 🎉 party (n-c-d-party)")) << told.output;
}

}  // namespace
}  // namespace carillon::cli
