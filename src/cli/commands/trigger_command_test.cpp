#include "support/api_documents.hpp"
#include "support/run_documents.hpp"

#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

namespace json = boost::json;

constexpr auto log_of_first = "GET /api/v1/runs/r-80ab03aa/logs?attempt=1&offset=0&follow=true&namespace=default";
constexpr auto run_request = "GET /api/v1/runs/r-80ab03aa?namespace=default";
constexpr auto trigger_request = "POST /api/v1/schedules/daily-report/trigger";

json::object run_in(std::string_view state) {
  return run_document("r-80ab03aa", state, "2026-10-29T14:22:05Z", "2026-10-29T14:22:05Z", "2026-10-29T14:22:07Z");
}

std::string decided(std::string_view outcome, const std::string& reason = "null") {
  return fmt::format(
      R"({{"decision": {{"outcome": "{}", "reason": {}}}, "run": {}, "id": "r-80ab03aa"}})", outcome, reason,
      json::serialize(run_document("r-80ab03aa", outcome == "skipped" ? "skipped" : "queued", "2026-10-29T14:22:05Z")));
}

Told trigger_told(ScriptedTransport& transport, std::vector<std::string> flags) {
  ScriptedConsole console = a_user_in_new_york();
  flags.insert(flags.begin(), {"trigger", "daily-report"});
  return carillon_on(console, transport, flags);
}

TEST(Trigger, says_what_was_decided_and_which_run_it_is) {
  ScriptedTransport transport;
  transport.answer(trigger_request, decided("started"), {}, 202);

  const Told told = trigger_told(transport, {});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "▶ daily-report  r-80ab03aa  started\n");
  EXPECT_EQ(transport.requests.back().body, "{}");
}

TEST(Trigger, says_that_the_queue_is_paused) {
  ScriptedTransport transport;
  auto run = with(run_document("r-80ab03aa", "queued", "2026-10-29T14:22:05Z"),
                  R"({"waitingFor": {"what": "paused_queue", "queue": "@command", "pausedBy": "admin"}})");
  transport.answer(
      trigger_request,
      fmt::format(R"({{"decision": {{"outcome": "started", "reason": null}}, "run": {}}})", json::serialize(run)), {},
      202);

  EXPECT_EQ(trigger_told(transport, {}).output,
            "⧗ daily-report  r-80ab03aa  queued: queue @command is paused by admin → carillon queue resume @command\n");
}

TEST(Trigger, sends_what_the_flags_say) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules/daily-report",
                   json::serialize(schedule_document("daily-report", "0 9 * * 1-5", "America/New_York")));
  transport.answer(trigger_request, decided("started"), {}, 202);

  const Told told = trigger_told(transport, {"--payload", R"({"a": 1})", "--nominal", "2026-10-27T09:00:00-04:00",
                                             "--overlap", "skip", "--idempotency-key", "ticket-812", "-q"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "r-80ab03aa\n");
  EXPECT_EQ(transport.header("Idempotency-Key"), "ticket-812");
  EXPECT_EQ(json::parse(transport.requests.back().body),
            json::parse(R"({"payload": {"a": 1}, "overlap": "skip", "nominal": "2026-10-27T13:00:00Z"})"));
}

TEST(Trigger, one_that_was_skipped_is_a_conflict) {
  ScriptedTransport transport;
  transport.answer(trigger_request, decided("skipped", "\"overlap\""), {}, 202);

  const Told told = trigger_told(transport, {"--overlap", "skip", "--wait"});

  EXPECT_EQ(told.exit_code, 5);
  EXPECT_EQ(told.output, "⊘ daily-report  r-80ab03aa  skipped (overlap: another run was active)\n");
}

TEST(Trigger, waits_and_prints_the_log) {
  ScriptedTransport transport;
  transport.answer(trigger_request, decided("started"), {}, 202);
  transport.answer(log_of_first, "hello\nworld\n");
  transport.answer(run_request, json::serialize(run_in("succeeded")));

  const Told told = trigger_told(transport, {"--wait"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "hello\nworld\n");
  EXPECT_EQ(told.error, "r-80ab03aa queued\n✔ ok  r-80ab03aa · took 2.0s\n");
}

TEST(Trigger, follows_every_attempt_and_fails_as_the_run_does) {
  ScriptedTransport transport;
  transport.answer(trigger_request, decided("started"), {}, 202);
  transport.answer(log_of_first, "first\n");
  const std::string retrying = json::serialize(with(
      run_in("retrying"),
      R"({"error": "exited with 3", "waitingFor": {"what": "retry", "queue": "q", "until": "2026-10-29T14:30:00Z"}})"));
  transport.answer(run_request, retrying);
  transport.answer(run_request, retrying);
  transport.answer("GET /api/v1/runs/r-80ab03aa/logs?attempt=2&offset=0&follow=true&namespace=default", "second\n");
  transport.answer(run_request, json::serialize(with(run_in("failed"), R"({"error": "exited with 3", "attempt": 2})")));

  const Told told = trigger_told(transport, {"--wait"});

  EXPECT_EQ(told.exit_code, 10);
  EXPECT_EQ(told.output, "first\nsecond\n");
  EXPECT_EQ(told.error,
            "r-80ab03aa queued\n"
            "attempt 1 failed: exited with 3; attempt 2 at 10:30:00\n"
            "✗ failed  r-80ab03aa · took 2.0s · exited with 3\n");
}

TEST(Trigger, that_waits_says_what_the_run_waits_for) {
  ScriptedTransport transport;
  transport.answer(trigger_request, decided("started"), {}, 202);
  transport.answer(run_request,
                   json::serialize(with(run_document("r-80ab03aa", "queued", "2026-10-29T14:22:05Z"),
                                        R"({"waitingFor": {"what": "no_worker", "queue": "q", "until": null}})")));
  transport.answer(log_of_first, "hello\n");
  transport.answer(run_request, json::serialize(run_in("succeeded")));

  const Told told = trigger_told(transport, {"--wait"});

  EXPECT_EQ(told.exit_code, 0);
  EXPECT_TRUE(told.error.starts_with("r-80ab03aa queued\nno worker serves queue q\n")) << told.error;
}

TEST(Trigger, what_is_not_over_in_time_is_exit_8) {
  ScriptedTransport transport;
  transport.answer(trigger_request, decided("started"), {}, 202);
  transport.answer(run_request, json::serialize(run_document("r-80ab03aa", "running", "2026-10-29T14:22:05Z",
                                                             "2026-10-29T14:22:05Z")));

  const Told told = trigger_told(transport, {"--wait", "--timeout", "0s"});

  EXPECT_EQ(told.exit_code, 8);
  EXPECT_TRUE(told.error.contains("the run continues: carillon run wait r-80ab03aa\n")) << told.error;
}

TEST(Trigger, programs_get_the_run_as_it_ended) {
  ScriptedTransport transport;
  transport.answer(trigger_request, decided("started"), {}, 202);
  transport.answer(log_of_first, "hello\n");
  transport.answer(run_request, json::serialize(run_in("succeeded")));

  const Told told = trigger_told(transport, {"--wait", "-o", "json"});

  EXPECT_EQ(json::parse(told.output), json::value(run_in("succeeded"))) << told.error;
}

TEST(Trigger, a_wrong_flag_is_found_before_anything_is_started) {
  const std::vector<std::vector<std::string>> wrong{
      {"--payload", "{"}, {"-o", "xml"}, {"--timeout", "5m"}, {"--wait", "--timeout", "soon"}};
  for (const auto& flags : wrong) {
    ScriptedTransport transport;

    EXPECT_EQ(trigger_told(transport, flags).exit_code, 2) << flags.front();

    EXPECT_TRUE(transport.requests.empty());
  }
}

TEST(TriggerCommand, tried_says_what_would_be_decided) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/trigger?dryRun=true",
                   R"({"decision": {"outcome": "skipped", "reason": "overlap"}})");

  const Told told = carillon_on(console, transport, {"trigger", "nightly", "--overlap", "skip", "--dry-run"});

  EXPECT_EQ(told.exit_code, 5);
  EXPECT_TRUE(told.output.contains("nightly  would be skipped")) << told.output;
}

TEST(TriggerCommand, tells_programs_the_run_once) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("POST /api/v1/schedules/nightly/trigger",
                   R"({"decision": {"outcome": "started", "reason": null}, "run": )" + run_by_hand + R"(, "id": "x"})",
                   {}, 202);

  const Told told = carillon_on(console, transport, {"trigger", "nightly", "-o", "json"});

  const auto document = boost::json::parse(told.output).as_object();
  EXPECT_EQ(document.size(), 2U) << told.output;
  EXPECT_EQ(document.at("run").at("id"), "r-80aa12dd");
}

}  // namespace
}  // namespace carillon::cli
