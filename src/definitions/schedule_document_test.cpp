#include "definitions/schedule_document.hpp"

#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Pair;

Checked<ScheduleDocument> read_yaml(std::string_view text, const ReadOptions& options = {}) {
  return read_schedule(parse_yaml(text).value().root, options);
}

std::vector<std::string> places(const Checked<ScheduleDocument>& checked) {
  std::vector<std::string> found;
  if (checked) return found;
  for (const Problem& problem : checked.error()) found.push_back(problem.pointer + " " + std::string{problem.code});
  return found;
}

/// Everything but the action; what is written differs from every default.
constexpr std::string_view full_yaml = R"(
id: nightly-etl
namespace: data
name: Nightly ETL
description: "Loads\nall of it"
labels: {team: data, tier: "1"}
enabled: false
spec: {cron: ["0 2 * * *"], timezone: Europe/Berlin}
policies:
  overlap: buffer_all
  bufferLimit: 5
  catchup: {policy: all, window: 2h, grace: 5m, maxRuns: 10}
  retry: {maxAttempts: 7, backoff: linear, initial: 30s, factor: 1.5, maxDelay: 10m, jitter: 0.1, onLost: true, maxLost: 5}
  tags: [ssd, gpu, ssd]
  concurrency: {key: database-1, limit: 2}
  timeout: 1h
  grace: 30s
  startDeadline: 2d
  totalRepeats: 12
  maxConsecutiveFailures: 3
  pauseOnFailure: true
  pause: {missed: buffer}
  keep: {runs: 9, days: 8}
)";

ScheduleDocument full_with(std::string_view action) {
  auto schedule = read_yaml(std::string{full_yaml} + "action: " + std::string{action});
  EXPECT_TRUE(schedule) << ::testing::PrintToString(places(schedule));
  return *std::move(schedule);
}

TEST(ScheduleDocument, reads_every_member) {
  const ScheduleDocument schedule = full_with("{pipeline: {path: reports/daily}}");

  EXPECT_EQ(schedule.id.text(), "nightly-etl");
  EXPECT_EQ(schedule.name_space.text(), "data");
  EXPECT_EQ(schedule.name, "Nightly ETL");
  EXPECT_EQ(schedule.description, "Loads\nall of it");
  EXPECT_THAT(schedule.labels, ElementsAre(Pair("team", "data"), Pair("tier", "1")));
  EXPECT_FALSE(schedule.enabled);
  EXPECT_THAT(schedule.spec.crons, ElementsAre("0 2 * * *"));
  EXPECT_EQ(schedule.spec.timezone, "Europe/Berlin");
  EXPECT_EQ(std::get<PipelineAction>(schedule.action).path, "reports/daily");
  const Policies expected{.overlap = OverlapPolicy::buffer_all,
                          .buffer_limit = 5,
                          .catchup = {.policy = CatchupPolicy::all, .window = 2h, .grace = 5min, .run_count_max = 10},
                          .retry = {.attempt_count_max = 7,
                                    .backoff = Backoff::linear,
                                    .initial = 30s,
                                    .factor = 1.5,
                                    .delay_max = 10min,
                                    .jitter = 0.1,
                                    .on_lost = true,
                                    .lost_max = 5},
                          .timeout = 1h,
                          .grace = 30s,
                          .start_deadline = 48h,
                          .total_repeats = 12,
                          .consecutive_failures_max = 3,
                          .pause_on_failure = true,
                          .pause = {.missed = PauseMissed::buffer},
                          .keep = {.runs = 9, .days = 8},
                          .tags = {"gpu", "ssd"},
                          .concurrency = Policies::Concurrency{.key = "database-1", .limit = 2}};
  EXPECT_EQ(schedule.policies, expected);
}

TEST(ScheduleDocument, reads_every_member_of_a_command) {
  const ScheduleDocument schedule = full_with(
      "{command: {argv: [/bin/x, --full], shell: false, cwd: /tmp, env: {A: '1'}, stdin: in, user: etl, "
      "limits: {nofile: 64, cpu: 10}, onOwnerLoss: adopt}}");

  const CommandAction expected{.argv = {"/bin/x", "--full"},
                               .shell = false,
                               .cwd = "/tmp",
                               .env = {{"A", "1"}},
                               .standard_input = "in",
                               .user = "etl",
                               .limits = {{"cpu", 10}, {"nofile", 64}},
                               .on_owner_loss = OnOwnerLoss::adopt};
  EXPECT_EQ(std::get<CommandAction>(schedule.action), expected);
}

TEST(ScheduleDocument, reads_every_member_of_a_request) {
  const ScheduleDocument schedule =
      full_with(R"({http: {url: "https://example.com/x", method: put, headers: {X-A: b}, body: {a: 1},)"
                R"( successCodes: [200-204, 301, "302"], signingSecret: "${env:HOOK}"}})");

  const auto& http = std::get<HttpAction>(schedule.action);
  EXPECT_EQ(http.url, "https://example.com/x");
  EXPECT_EQ(http.method, "PUT");
  EXPECT_THAT(http.headers, ElementsAre(Pair("X-A", "b")));
  EXPECT_EQ(boost::json::serialize(http.body), R"({"a":1})");
  EXPECT_THAT(http.success_codes, ElementsAre(StatusRange{200, 204}, StatusRange{301, 301}, StatusRange{302, 302}));
  EXPECT_EQ(http.signing_secret, "${env:HOOK}");
}

TEST(ScheduleDocument, reads_every_member_of_a_job) {
  const ScheduleDocument schedule =
      full_with("{job: {type: report.generate, payload: [1], priority: HIGH, queue: slow}}");

  const auto& job = std::get<JobAction>(schedule.action);
  EXPECT_EQ(job.type, "report.generate");
  EXPECT_EQ(boost::json::serialize(job.payload), "[1]");
  EXPECT_EQ(job.priority, priority_high);
  EXPECT_EQ(job.queue, "slow");
}

TEST(ScheduleDocument, what_a_client_of_temporal_said_is_kept_where_it_said_something) {
  const auto plain = read_yaml("{id: x, action: {job: {type: t}}}").value();
  const auto touched = read_yaml("{id: x, action: {job: {type: t}}, temporal: {id: \"a/b\\n\"}, notes: why}").value();

  EXPECT_FALSE(write_schedule(plain).contains("temporal"));
  EXPECT_EQ(touched.temporal->id, "a/b\n");
  EXPECT_EQ(boost::json::serialize(write_schedule(touched).at("temporal")), R"({"id":"a/b\n"})");
  EXPECT_EQ(write_schedule(touched).at("notes"), "why");
  EXPECT_EQ(read_canonical_schedule(write_schedule(touched)).value(), touched);
}

TEST(ScheduleDocument, unknown_members_of_temporal_are_refused_with_their_place) {
  EXPECT_THAT(places(read_yaml("{id: x, action: {job: {type: t}}, temporal: {note: why}}")),
              ElementsAre("/temporal/note unknown-key"));
}

TEST(ScheduleDocument, the_canonical_form_has_every_member_in_order_with_its_default) {
  const ScheduleDocument schedule = read_yaml("{id: x, action: {job: {type: t}}}").value();

  EXPECT_EQ(
      boost::json::serialize(write_schedule(schedule)),
      R"({"id":"x","namespace":"default","name":"x","description":"","labels":{},"enabled":true,)"
      R"("spec":{"cron":[],"calendars":[],"intervals":[],"times":[],"exclude":[],"timezone":"UTC","startAt":null,)"
      R"("endAt":null,"jitter":"0s","dst":"cron"},)"
      R"("action":{"job":{"type":"t","payload":{},"priority":"normal","queue":"default"}},)"
      R"("policies":{"overlap":"skip","bufferLimit":1000,)"
      R"("catchup":{"policy":"latest","window":null,"grace":"1m","maxRuns":1000},)"
      R"("retry":{"maxAttempts":4,"backoff":"exponential","initial":"1m","factor":2,"maxDelay":null,"jitter":0,)"
      R"("onLost":null},"timeout":null,"grace":"10s","startDeadline":null,"totalRepeats":0,)"
      R"("maxConsecutiveFailures":0,"pauseOnFailure":false,"pause":{"missed":"skip"},)"
      R"("keep":{"runs":50,"days":30}}})");
}

TEST(ScheduleDocument, a_command_and_a_request_have_their_defaults) {
  const ScheduleDocument command = read_yaml("{id: x, action: {command: {argv: [a]}}}").value();
  const ScheduleDocument http = read_yaml("{id: x, action: {http: {url: 'http://h'}}}").value();

  EXPECT_EQ(boost::json::serialize(write_schedule(command).at("action")),
            R"({"command":{"argv":["a"],"shell":false,"cwd":null,"env":{},"stdin":null,"user":null,"limits":{},)"
            R"("onOwnerLoss":"kill"}})");
  EXPECT_EQ(boost::json::serialize(write_schedule(http).at("action")),
            R"({"http":{"url":"http://h","method":"POST","headers":{},"body":null,"successCodes":["200-299"],)"
            R"("signingSecret":null}})");
}

TEST(ScheduleDocument, a_document_that_says_nothing_has_the_policies_of_the_code) {
  EXPECT_EQ(read_yaml("{id: x, action: {job: {type: t}}}")->policies, Policies{});
  EXPECT_EQ(
      read_yaml("{id: x, action: {job: {type: t}}, policies: {catchup: {}, retry: {}, pause: {}, keep: {}}}")->policies,
      Policies{});
}

TEST(ScheduleDocument, the_action_decides_what_policies_leave_open) {
  const Policies open;
  Policies told;
  told.retry.on_lost = true;
  told.start_deadline = 5min;

  EXPECT_FALSE(retries_when_lost(open, CommandAction{}));
  EXPECT_FALSE(retries_when_lost(open, PipelineAction{}));
  EXPECT_TRUE(retries_when_lost(open, HttpAction{}));
  EXPECT_TRUE(retries_when_lost(open, JobAction{}));
  EXPECT_TRUE(retries_when_lost(told, CommandAction{}));
  EXPECT_EQ(start_deadline_of(open, CommandAction{}), std::nullopt);
  EXPECT_EQ(start_deadline_of(open, HttpAction{}), std::nullopt);
  EXPECT_EQ(start_deadline_of(open, JobAction{}), 24h);
  EXPECT_EQ(start_deadline_of(told, JobAction{}), 5min);
  EXPECT_EQ(delay_max_of(open.retry), 10min);
}

TEST(ScheduleDocument, a_left_out_id_is_the_slug_of_the_name) {
  const ScheduleDocument schedule = read_yaml("{name: Nightly ETL, action: {job: {type: t}}}").value();

  EXPECT_EQ(schedule.id.text(), "nightly-etl");
  EXPECT_EQ(schedule.name, "Nightly ETL");
  EXPECT_FALSE(has_id(parse_yaml("{name: Nightly ETL}")->root));
  EXPECT_TRUE(has_id(parse_yaml("{id: x}")->root));
}

TEST(ScheduleDocument, a_left_out_zone_is_the_configured_one) {
  const ScheduleDocument schedule =
      read_yaml("{id: x, action: {job: {type: t}}}", {.default_timezone = "Europe/Berlin"}).value();

  EXPECT_EQ(schedule.spec.timezone, "Europe/Berlin");
}

TEST(ScheduleDocument, priorities_with_a_word_are_written_as_the_word) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"high", "\"high\""}, {"Low", "\"low\""}, {"NORMAL", "\"normal\""}, {"0", "\"normal\""},
      {"7", "7"},           {"-100", "-100"},   {"100", "100"},
  };
  for (const auto& [given, written] : cases) {
    const auto schedule = read_yaml(fmt::format("{{id: x, action: {{job: {{type: t, priority: {}}}}}}}", given));
    ASSERT_TRUE(schedule) << given;
    EXPECT_EQ(boost::json::serialize(write_schedule(*schedule).at("action").at("job").at("priority")), written);
  }
}

TEST(ScheduleDocument, members_of_an_answer_are_passed_over_only_when_asked) {
  constexpr std::string_view answer =
      "{id: x, action: {job: {type: t}}, status: active, activity: idle, pause: null, nextRunAt: null, nextDueAt: "
      "null, "
      "lastRunAt: null, lastSuccessAt: null, lastError: null, running: 0, waiting: 0, runCount: 3, successCount: 2, "
      "errorCount: 1, currentRepeat: 2, currentRetry: 0, skipped: {overlap: 1}, stats: {totalRuns: 3}, recentRuns: [], "
      "upcoming: [], managedBy: null, owner: null, revision: 4, createdAt: '2026-01-01T00:00:00Z', "
      "updatedAt: '2026-01-01T00:00:00Z', warnings: [], recent: []}";

  EXPECT_TRUE(read_yaml(answer, {.ignore_read_only = true}));
  EXPECT_THAT(places(read_yaml("{id: x, action: {job: {type: t}}, status: active}")),
              ElementsAre("/status unknown-key"));
  EXPECT_THAT(places(read_yaml("{id: x, action: {job: {type: t}}, uid: 1}", {.ignore_read_only = true})),
              ElementsAre("/uid unknown-key"));
}

TEST(ScheduleDocument, what_is_written_reads_back_the_same_as_json_and_as_yaml) {
  for (const std::string_view action :
       {"{command: {argv: [a, ''], env: {B: '2', A: ''}}}", "{http: {url: 'http://h', successCodes: [200, 300-302]}}",
        "{job: {type: t, payload: {a: [1, null, {b: 'x'}]}, priority: 3}}", "{pipeline: {path: p}}",
        "{workflow: {type: T, taskQueue: q, id: 'a-{{nominalTime}}', input: [1, {a: null}], runTimeout: 1h, retry: "
        "{initial: "
        "2s, factor: 1.5, nonRetryable: [Bad]}, memo: {a: 1}, searchAttributes: {B: x}, idReuse: reject_duplicate, "
        "cluster: blue, message: AA==}}"}) {
    const ScheduleDocument schedule = full_with(action);
    const boost::json::object written = write_schedule(schedule);

    EXPECT_EQ(read_schedule(parse_json(boost::json::serialize(written)).value()).value(), schedule);
    EXPECT_EQ(read_yaml(to_yaml(written)).value(), schedule);
    EXPECT_EQ(write_schedule(read_schedule(written).value()), written);
  }
}

TEST(ScheduleDocument, what_is_done_at_its_creation_is_kept_as_it_is_meant) {
  const auto read = read_yaml(R"(
id: x
action: {job: {type: t}}
policies: {maxStarts: 0}
onCreate:
  pause: {reason: not yet}
  trigger: {payload: {rows: 3}}
  backfills:
    - {from: 2026-11-01T00:00:00Z, to: 2026-11-02T00:00:00Z, overlap: buffer_all}
    - {from: 2026-11-01T00:00:00Z, to: 2026-11-02T00:00:00Z}
)")
                        .value();

  EXPECT_EQ(read.policies.starts_max, 0);
  ASSERT_TRUE(read.on_create);
  EXPECT_EQ(read.on_create->trigger->overlap, OverlapPolicy::allow_all);
  EXPECT_EQ(read.on_create->backfills.at(0).concurrency, backfill_concurrency_max);
  EXPECT_EQ(read.on_create->backfills.at(1).concurrency, 1);
  EXPECT_EQ(read_canonical_schedule(write_schedule(read)), read);
}

TEST(ScheduleDocument, what_cannot_be_done_at_its_creation_is_told_with_its_place) {
  const auto read = read_yaml(R"(
id: x
action: {job: {type: t}}
onCreate:
  backfills: [{from: 2026-11-01T00:00:00Z, exclusive: true, overlap: skip}]
  trigger: {overlap: sometimes}
)");

  ASSERT_FALSE(read);
  std::vector<std::string> pointers;
  for (const Problem& problem : read.error()) pointers.push_back(problem.pointer);
  EXPECT_THAT(pointers, ::testing::UnorderedElementsAre("/onCreate/backfills/0/to", "/onCreate/backfills/0/exclusive",
                                                        "/onCreate/trigger/overlap"));
}

TEST(ScheduleDocument, a_creation_that_does_nothing_is_left_out) {
  const auto read = read_yaml("{id: x, action: {job: {type: t}}, onCreate: {}, notes: ''}").value();

  EXPECT_FALSE(read.on_create);
  EXPECT_FALSE(write_schedule(read).contains("onCreate"));
  EXPECT_FALSE(write_schedule(read).contains("notes"));
  EXPECT_FALSE(write_schedule(read).at("policies").get_object().contains("maxStarts"));
}

}  // namespace
}  // namespace carillon
