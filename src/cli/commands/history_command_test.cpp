#include "support/api_documents.hpp"

#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view schedule_request = "GET /api/v1/schedules/daily-report";

std::vector<json::object> five_decisions() {
  return {
      run_document("r-7f3a91aa", "succeeded", "2026-10-29T13:00:00Z", "2026-10-29T13:00:00.1Z",
                   "2026-10-29T13:02:35.1Z"),
      with(run_document("r-7e1b55aa", "skipped", "2026-10-27T13:00:00Z"), R"({"reason": "overlap"})"),
      with(run_document("r-7d9e10aa", "succeeded", "2026-10-26T13:00:00Z", "2026-10-26T13:14:20Z",
                        "2026-10-26T13:17:01Z"),
           R"({"source": "catchup"})"),
      with(run_document("r-7d9e11aa", "cancelled", "2026-10-25T23:59:58.5Z", "2026-10-26T04:01:00Z",
                        "2026-10-26T04:01:01Z"),
           R"({"source": "trigger"})"),
      with(run_document("r-7c0b77aa", "failed", "2026-10-23T13:00:00Z", "2026-10-23T13:00:00.1Z",
                        "2026-10-23T13:33:10.1Z"),
           R"({"attempt": 3, "error": "took longer than 10m"})"),
  };
}

std::string occurrences_of(const std::vector<json::object>& spans) {
  json::array items;
  for (const auto& span : spans) items.push_back(span);
  return json::serialize(json::object{{"items", items}, {"outages", json::array{}}});
}

/// A server with these decisions, and these spans among the occurrences.
ScriptedTransport a_server(const std::vector<json::object>& decisions, const std::string& runs_query,
                           const std::string& occurrences_query = "", const std::vector<json::object>& spans = {}) {
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request},
                   json::serialize(schedule_document("daily-report", "0 9 * * 1-5", "America/New_York")));
  transport.answer(std::string{schedule_request} + "/runs?namespace=default&" + runs_query, page_of(decisions));
  if (!occurrences_query.empty())
    transport.answer(std::string{schedule_request} + "/occurrences?namespace=default&" + occurrences_query,
                     occurrences_of(spans));
  return transport;
}

constexpr auto always = "from=1900-01-01T00%3A00%3A00Z&to=2026-10-29T14%3A22%3A05.000001Z";

TEST(History, shows_what_became_of_each_due_time) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport = a_server(five_decisions(), "decisions=true&limit=5", always);

  const Told told = carillon_on(console, transport, {"scheduler", "history", "daily-report", "--limit", "5"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, R"(RUN         DUE                  STARTED              LATE    TOOK    ATT.  RESULT       WHY
r-7f3a91aa  Thu 29 Oct 09:00     09:00:00             0.1s    2m35s   1     ✔ ok         scheduled
–           Tue 27 Oct 09:00     –                    –       –       –     ⊘ skipped    overlap: another run was active
r-7d9e10aa  Mon 26 Oct 09:00     09:14:20             14m20s  2m41s   1     ✔ ok         caught up
r-7d9e11aa  Sun 25 Oct 19:59:58  Mon 26 Oct 00:01:00  4h01m   1.0s    1     ⊘ cancelled  by hand
r-7c0b77aa  Fri 23 Oct 09:00     09:00:00             0.1s    33m10s  3     ✗ failed     scheduled; took longer than 10m
)");
}

TEST(History, says_which_run_is_a_retry_of_which) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport = a_server({with(run_document("r-7d9e11aa", "succeeded", "2026-10-26T04:01:00Z",
                                                            "2026-10-26T04:01:00Z", "2026-10-26T04:01:01Z"),
                                               R"({"source": "trigger",
                         "name": "daily-report@2026-10-23T13:00:00Z+trigger-796256ff-of-r-7c0b77aa"})")},
                                         "decisions=true&limit=5", always);

  const Told told = carillon_on(console, transport, {"history", "daily-report", "--limit", "5"});

  EXPECT_NE(told.output.find("  retry of r-7c0b77aa\n"), std::string::npos) << told.output << told.error;
}

TEST(History, shows_when_no_server_was_there_to_decide) {
  ScriptedConsole console = a_user_in_new_york();
  const std::vector<json::object> decisions{
      with(run_document("r-7e1b55aa", "skipped", "2026-10-27T13:00:00Z"), R"({"reason": "outage"})"),
      run_document("r-7d9e10aa", "succeeded", "2026-10-26T13:00:00Z", "2026-10-26T13:00:00.1Z",
                   "2026-10-26T13:02:35.1Z")};
  ScriptedTransport transport = a_server(decisions, "decisions=true&limit=5");
  transport.answer(std::string{schedule_request} + "/occurrences?namespace=default&" + always,
                   R"({"items": [], "outages": [
                     {"from": "2026-10-20T10:00:00Z", "to": "2026-10-20T10:10:00Z", "cause": "down"},
                     {"from": "2026-10-27T12:50:00Z", "to": "2026-10-27T13:10:00Z", "cause": "down"}]})");

  const Told told = carillon_on(console, transport, {"scheduler", "history", "daily-report", "--limit", "5"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output,
            R"(RUN         DUE               STARTED   LATE  TOOK   ATT.  RESULT     WHY
–           Tue 27 Oct 09:00  –         –     –      –     ⊘ skipped  outage: no server was active, then another start came first
–           Tue 27 Oct 08:50  –         –     –      –     outage     no server was running until Tue 27 Oct 09:10
r-7d9e10aa  Mon 26 Oct 09:00  09:00:00  0.1s  2m35s  1     ✔ ok       scheduled
)");
}

TEST(History, lines_up_in_ascii_too) {
  ScriptedConsole console = a_user_in_new_york();
  console.variables["LANG"] = "C";
  ScriptedTransport transport = a_server(five_decisions(), "decisions=true&limit=500", always);

  EXPECT_EQ(carillon_on(console, transport, {"history", "daily-report"}).output,
            R"(RUN         DUE                  STARTED              LATE    TOOK    ATT.  RESULT       WHY
r-7f3a91aa  Thu 29 Oct 09:00     09:00:00             0.1s    2m35s   1     ok ok        scheduled
-           Tue 27 Oct 09:00     -                    -       -       -     - skipped    overlap: another run was active
r-7d9e10aa  Mon 26 Oct 09:00     09:14:20             14m20s  2m41s   1     ok ok        caught up
r-7d9e11aa  Sun 25 Oct 19:59:58  Mon 26 Oct 00:01:00  4h01m   1.0s    1     - cancelled  by hand
r-7c0b77aa  Fri 23 Oct 09:00     09:00:00             0.1s    33m10s  3     x failed     scheduled; took longer than 10m
)");
}

TEST(History, has_colours_where_it_matters) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport = a_server(five_decisions(), "decisions=true&limit=500", always);

  const std::string output = carillon_on(console, transport, {"history", "daily-report", "--color", "always"}).output;

  EXPECT_TRUE(output.contains("\x1b[32m✔ ok\x1b[0m")) << output;
  EXPECT_TRUE(output.contains("\x1b[31m✗ failed\x1b[0m")) << output;
}

TEST(History, many_that_were_skipped_in_a_row_are_one_line_in_their_place) {
  ScriptedConsole console = a_user_in_new_york();
  const auto span = json::parse(R"({"nominal": "2026-10-28T13:00:00Z", "from": "2026-10-28T13:00:00Z",
    "to": "2026-10-28T23:00:00Z", "count": 11, "outcome": "skipped", "reason": "missed", "why": ""})")
                        .as_object();
  ScriptedTransport transport = a_server(five_decisions(), "decisions=true&limit=500", always, {span});

  const std::string output = carillon_on(console, transport, {"history", "daily-report"}).output;

  EXPECT_TRUE(output.contains(
      "scheduled\n–           Wed 28 Oct 09:00     –                    –       –       –     ⊘ skipped    missed: too "
      "late for its catch-up policy; 11 of them until Wed 28 Oct 19:00\n–           Tue 27 Oct"))
      << output;
}

TEST(History, the_server_looks_for_states_of_runs) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport =
      a_server({five_decisions().back()}, "since=2026-10-28T14%3A22%3A05Z&state=failed%2Clost&limit=500");

  const Told told =
      carillon_on(console, transport, {"history", "daily-report", "--since", "24h", "--state", "failed,lost", "-q"});

  EXPECT_EQ(told.output, "r-7c0b77aa\n") << told.error;
}

TEST(History, what_was_skipped_is_found_among_all) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport = a_server(five_decisions(), "decisions=true&limit=500", always);

  const Told told =
      carillon_on(console, transport, {"history", "daily-report", "--state", "skipped", "--json", "id,state"});

  EXPECT_EQ(json::parse(told.output), json::parse(R"([{"id": "r-7e1b55aa", "state": "skipped"}])")) << told.error;
}

TEST(Why, shows_what_stood_in_the_way_and_what_to_do) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request},
                   json::serialize(schedule_document("daily-report", "0 9 * * 1-5", "America/New_York")));
  transport.answer(std::string{schedule_request} + "/why?namespace=default&at=2026-10-27T13%3A00%3A00Z", R"({
    "why": "scheduled for 2026-10-27T13:00:00Z (revision 1); skipped (overlap): another run of the schedule was active, and the overlap policy does not allow a second one",
    "occurrence": {"nominal": "2026-10-27T13:00:00Z", "due": "2026-10-27T13:00:00Z", "outcome": "skipped",
                   "reason": "overlap", "source": "schedule", "revision": 1, "decidedAt": "2026-10-27T13:00:00.0001Z",
                   "waitedFrom": null, "run": null, "state": null, "why": ""},
    "changes": [{"at": "2026-10-01T08:00:00Z", "kind": "created", "revision": 1, "by": "file:report.yaml"}],
    "before": null, "after": null, "outages": []})");
  transport.answer(
      std::string{schedule_request} + "/runs?namespace=default&until=2026-10-27T13%3A00%3A00.000101Z&limit=50",
      page_of({with(run_document("r-7e1b55aa", "succeeded", "2026-10-27T12:58:03Z", "2026-10-27T12:58:03Z",
                                 "2026-10-27T13:01:12Z"),
                    R"({"source": "trigger"})"),
               run_document("r-7c0b77aa", "succeeded", "2026-10-26T13:00:00Z", "2026-10-26T13:00:00Z",
                            "2026-10-26T13:02:00Z")}));

  const Told told = carillon_on(console, transport, {"explain", "daily-report", "--at", "2026-10-27 09:00"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, R"(⊘ skipped (overlap: another run was active)  daily-report  Tue 27 Oct 09:00 EDT
  Scheduled for Tue 27 Oct 09:00 EDT (revision 1); skipped (overlap): another run of the schedule was active, and the overlap policy does not allow a second one.
  Thu  1 Oct 04:00:00  created by file:report.yaml (revision 1)
  08:58:03             r-7e1b55aa (by hand) started
  09:00:00             due · overlap skip · r-7e1b55aa running for 1m57s → skipped
  09:01:12             r-7e1b55aa ended: succeeded
Run it now        carillon trigger daily-report --nominal 2026-10-27T09:00:00-04:00
Avoid this        carillon edit daily-report --overlap buffer_one
)");

  ScriptedConsole other = a_user_in_new_york();
  EXPECT_EQ(carillon_on(other, transport, {"why", "daily-report", "2026-10-27T13:00:00Z"}).output, told.output);
}

TEST(Why, a_time_that_is_none_names_its_neighbours) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request},
                   json::serialize(schedule_document("daily-report", "0 9 * * 1-5", "America/New_York")));
  transport.answer(std::string{schedule_request} + "/why?namespace=default&at=2026-10-31T13%3A00%3A00Z", R"({
    "why": "the schedule has no scheduled time at 2026-10-31T13:00:00Z", "occurrence": null, "changes": [],
    "before": {"nominal": "2026-10-30T13:00:00Z", "due": "2026-10-30T13:00:00Z", "local": ""},
    "after": {"nominal": "2026-11-02T14:00:00Z", "due": "2026-11-02T14:00:00Z", "local": ""}, "outages": []})");

  const Told told = carillon_on(console, transport, {"why", "daily-report", "2026-10-31 09:00"});

  EXPECT_EQ(told.output, R"(Sat 31 Oct 09:00 EDT is not a scheduled time of daily-report.
  before  Fri 30 Oct 09:00 EDT   carillon why daily-report 2026-10-30T09:00:00-04:00
  after   Mon 2 Nov 09:00 EST   carillon why daily-report 2026-11-02T09:00:00-05:00
)");
}

TEST(Why, a_time_without_a_zone_is_one_of_the_schedule) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request},
                   json::serialize(schedule_document("daily-report", "30 2 * * *", "Europe/Berlin")));

  static_cast<void>(carillon_on(console, transport, {"why", "daily-report", "2026-10-27 02:30"}));
  EXPECT_TRUE(transport.requests.back().url.ends_with("at=2026-10-27T01%3A30%3A00Z")) << transport.requests.back().url;

  static_cast<void>(carillon_on(console, transport, {"why", "daily-report", "2026-10-27 02:30", "--tz", "utc"}));
  EXPECT_TRUE(transport.requests.back().url.ends_with("at=2026-10-27T02%3A30%3A00Z")) << transport.requests.back().url;
}

TEST(History, since_is_read_in_the_zone_of_the_schedule) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request},
                   json::serialize(schedule_document("daily-report", "30 2 * * *", "Europe/Berlin")));

  static_cast<void>(carillon_on(console, transport, {"history", "daily-report", "--since", "09:00"}));

  EXPECT_TRUE(transport.requests.back().url.contains("since=2026-10-29T08%3A00%3A00Z"))
      << transport.requests.back().url;
}

/// A page of occurrences of which all are runs, but for a span in front.
std::string full_page(std::string_view first, std::string_view count) {
  json::array items;
  items.push_back(json::parse(R"({"nominal": "", "outcome": "skipped", "reason": "paused"})"));
  for (int i = 1; i < 500; ++i) items.push_back(json::parse(R"({"nominal": "", "outcome": "started"})"));
  for (auto& item : items) item.as_object()["nominal"] = first;
  json::object& span = items.front().as_object();
  span["from"] = first;
  span["to"] = first;
  span["count"] = std::stoi(std::string{count});
  return json::serialize(json::object{{"items", items}, {"outages", json::array{}}});
}

TEST(History, has_skipped_ranges_of_all_pages) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport = a_server({}, "decisions=true&limit=500");
  const std::string pages =
      std::string{schedule_request} + "/occurrences?namespace=default&from=1900-01-01T00%3A00%3A00Z";
  transport.answer(pages + "&to=2026-10-29T14%3A22%3A05.000001Z", full_page("2026-10-20T13:00:00Z", "7"));
  transport.answer(pages + "&to=2026-10-20T13%3A00%3A00Z", full_page("2026-09-20T13:00:00Z", "11"));
  transport.answer(pages + "&to=2026-09-20T13%3A00%3A00Z", occurrences_of({}));

  const Told told = carillon_on(console, transport, {"history", "daily-report", "--json", "count"});

  EXPECT_EQ(json::parse(told.output), json::parse(R"([{"count": 7}, {"count": 11}])")) << told.error;
}

json::object report_in(std::string_view members) {
  return with(schedule_document("daily-report", "0 9 * * 1-5", "America/New_York"), members);
}

TEST(Why, of_a_disabled_schedule_without_decisions_says_that_it_is_disabled) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request}, json::serialize(report_in(R"({"status": "disabled"})")));
  transport.answer(std::string{schedule_request} + "/runs?namespace=default&decisions=true&limit=1",
                   page_of(std::vector<json::object>{}));

  const Told told = carillon_on(console, transport, {"why", "daily-report"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_TRUE(told.output.starts_with("○ daily-report is disabled; nothing starts → carillon enable daily-report\n"))
      << told.output;
}

TEST(Why, of_a_disabled_schedule_does_not_call_a_time_planned) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request}, json::serialize(report_in(R"({"status": "disabled"})")));
  transport.answer(std::string{schedule_request} + "/why?namespace=default&at=2026-10-30T13%3A00%3A00Z", R"({
    "why": "2026-10-30T13:00:00Z is a scheduled time; the schedule is disabled, so it will not start",
    "isOccurrence": true, "changes": [], "before": null, "after": null, "outages": [],
    "occurrence": {"nominal": "2026-10-30T13:00:00Z", "due": "2026-10-30T13:00:00Z",
    "outcome": "planned", "reason": null, "run": null, "state": null}})");

  const Told told = carillon_on(console, transport, {"why", "daily-report", "2026-10-30T13:00:00Z"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_TRUE(told.output.contains("· will not start  daily-report  ")) << told.output;
  EXPECT_TRUE(told.output.contains("due → will not start\n")) << told.output;
  EXPECT_FALSE(told.output.contains("planned")) << told.output;
}

TEST(Why, of_a_schedule_that_was_never_due_is_about_its_next_start) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request},
                   json::serialize(report_in(
                       R"({"upcoming": [{"nominal": "2026-10-30T13:00:00Z", "due": "2026-10-30T13:00:00Z"}]})")));
  transport.answer(std::string{schedule_request} + "/runs?namespace=default&decisions=true&limit=1",
                   page_of(std::vector<json::object>{}));
  transport.answer(std::string{schedule_request} + "/why?namespace=default&at=2026-10-30T13%3A00%3A00Z", R"({
    "why": "2026-10-30T13:00:00Z is a scheduled time; it lies ahead", "isOccurrence": true, "changes": [], "before": null,
    "after": null, "outages": [], "occurrence": {"nominal": "2026-10-30T13:00:00Z", "due": "2026-10-30T13:00:00Z",
    "outcome": "planned", "reason": null, "run": null, "state": null}})");

  const Told told = carillon_on(console, transport, {"why", "daily-report"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_TRUE(told.output.starts_with("· planned  daily-report  Fri 30 Oct 09:00 EDT\n")) << told.output;
}

std::string skipped_by_pause() {
  return R"({"why": "skipped (paused): the schedule was paused; paused by ops: API quota", "isOccurrence": true,
    "changes": [{"at": "2026-10-27T12:00:00Z", "kind": "paused", "revision": 2, "by": "ops", "reason": "API quota",
                 "until": null}], "before": null, "after": null, "outages": [],
    "occurrence": {"nominal": "2026-10-27T13:00:00Z", "due": "2026-10-27T13:00:00Z", "outcome": "skipped",
                   "reason": "paused", "run": null, "state": null}})";
}

TEST(Why, of_a_pause_shows_its_reason_and_how_to_end_it) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request},
                   json::serialize(report_in(R"({"status": "paused", "pause": {"reason": "API quota", "by": "ops",
                       "until": null, "at": "2026-10-27T12:00:00Z"}})")));
  transport.answer(std::string{schedule_request} + "/why?namespace=default&at=2026-10-27T13%3A00%3A00Z",
                   skipped_by_pause());

  const Told told = carillon_on(console, transport, {"why", "daily-report", "2026-10-27 09:00"});

  EXPECT_TRUE(
      told.output.starts_with("‖ daily-report is paused by ops since Tue 27 Oct 08:00 EDT: \"API quota\"; "
                              "nothing starts → carillon resume daily-report\n"))
      << told.output;
  EXPECT_TRUE(told.output.contains("08:00:00  paused by ops: \"API quota\" (revision 2)\n")) << told.output;
  EXPECT_TRUE(told.output.contains("carillon resume daily-report\n")) << told.output;
}

TEST(Why, advises_no_resuming_of_what_is_resumed) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request}, json::serialize(report_in("{}")));
  transport.answer(std::string{schedule_request} + "/why?namespace=default&at=2026-10-27T13%3A00%3A00Z",
                   skipped_by_pause());

  const Told told = carillon_on(console, transport, {"why", "daily-report", "2026-10-27 09:00"});

  EXPECT_FALSE(told.output.contains("carillon resume")) << told.output;
}

TEST(Why, a_time_that_was_not_decided_is_a_time_of_the_schedule) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport;
  transport.answer(std::string{schedule_request}, json::serialize(report_in(R"({"status": "disabled"})")));
  transport.answer(std::string{schedule_request} + "/why?namespace=default&at=2026-10-27T13%3A00%3A00Z", R"({
    "why": "it is a scheduled time of the current definition; the schedule is disabled", "isOccurrence": true,
    "occurrence": null, "changes": [], "outages": [],
    "before": {"nominal": "2026-10-26T13:00:00Z", "due": "2026-10-26T13:00:00Z"}, "after": null})");

  const Told told = carillon_on(console, transport, {"why", "daily-report", "2026-10-27 09:00"});

  EXPECT_FALSE(told.output.contains("is not a scheduled time of")) << told.output;
  EXPECT_TRUE(told.output.contains("· not decided  daily-report  Tue 27 Oct 09:00 EDT\n")) << told.output;
}

TEST(History, shows_who_paused_the_schedule_and_why) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport = a_server({}, "decisions=true&limit=500");
  transport.answer(std::string{schedule_request} + "/occurrences?namespace=default&" + always,
                   R"({"items": [], "outages": [], "changes": [
      {"at": "2026-10-01T12:00:00Z", "kind": "created", "revision": 1, "by": "ops", "reason": null, "until": null},
      {"at": "2026-10-27T12:00:00Z", "kind": "paused", "revision": 2, "by": "ops", "reason": "API quota",
       "until": "2026-10-28T12:00:00Z"}]})");

  const Told told = carillon_on(console, transport, {"history", "daily-report"});

  EXPECT_TRUE(told.output.contains("Tue 27 Oct 08:00")) << told.output;
  EXPECT_TRUE(told.output.contains("paused  by ops until Wed 28 Oct 08:00: \"API quota\"\n")) << told.output;
  EXPECT_FALSE(told.output.contains("created")) << told.output;
}

TEST(Why, without_a_time_is_about_the_newest_decision) {
  ScriptedConsole console = a_user_in_new_york();
  ScriptedTransport transport = a_server({five_decisions().back()}, "decisions=true&limit=1");
  transport.answer(std::string{schedule_request} + "/why?namespace=default&at=2026-10-23T13%3A00%3A00Z", R"({
    "why": "due; attempt 3 failed", "changes": [], "before": null, "after": null, "outages": [],
    "occurrence": {"nominal": "2026-10-23T13:00:00Z", "due": "2026-10-23T13:00:00Z", "outcome": "started",
                   "reason": null, "source": "schedule", "revision": 1, "decidedAt": "2026-10-23T13:00:00Z",
                   "waitedFrom": null, "run": "r-7c0b77aa", "state": "failed", "why": ""}})");
  auto run = five_decisions().back();
  run["attempts"] = json::parse(R"([{"attempt": 1, "worker": "w", "claimedAt": "2026-10-23T13:00:00Z",
    "launchedAt": "2026-10-23T13:00:00.1Z", "endedAt": "2026-10-23T13:10:00Z", "state": "timed_out", "exitCode": null,
    "signal": 15, "error": "took longer than 10m", "rusage": null}])");
  transport.answer("GET /api/v1/runs/r-7c0b77aa?namespace=default", json::serialize(run));

  const Told told = carillon_on(console, transport, {"why", "daily-report"});

  EXPECT_EQ(told.output, R"(✗ failed  r-7c0b77aa  daily-report  Fri 23 Oct 09:00 EDT
  Due; attempt 3 failed.
  09:00:00  due → started
  09:00:00  attempt 1 started
  09:10:00  attempt 1 ended: timed_out, took longer than 10m
Its log           carillon run logs r-7c0b77aa
Run it again      carillon run retry r-7c0b77aa
)");
}

}  // namespace
}  // namespace carillon::cli
