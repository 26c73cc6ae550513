#include "definitions/short_form.hpp"

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
using ::testing::IsEmpty;

boost::json::value yaml(std::string_view text) { return parse_yaml(text).value().root; }

std::vector<std::string> places_of(const Problems& problems) {
  std::vector<std::string> found;
  for (const Problem& problem : problems) found.push_back(problem.pointer + " " + std::string{problem.code});
  return found;
}

std::vector<std::string> places(std::string_view text) {
  const auto checked = read_schedule(yaml(text));
  return checked ? std::vector<std::string>{} : places_of(checked.error());
}

ScheduleDocument read(std::string_view text) {
  auto checked = read_schedule(yaml(text));
  EXPECT_TRUE(checked) << text << ::testing::PrintToString(places(text));
  return *std::move(checked);
}

struct Case {
  std::string_view given;
  std::string_view expected;
};

TEST(ShortForm, each_member_goes_to_its_canonical_place) {
  const std::vector<Case> cases{
      {"cron: '@daily'", "spec: {cron: '@daily'}"},
      {"cron: ['@daily', '@hourly']", "spec: {cron: ['@daily', '@hourly']}"},
      {"cronExpr: '@daily'", "spec: {cron: '@daily'}"},
      {"cron_expr: '@daily'", "spec: {cron: '@daily'}"},
      {"every: 90s", "spec: {intervals: [{every: 90s}]}"},
      {"intervalSeconds: 90", "spec: {intervals: [{every: 1m30s}]}"},
      {"interval_seconds: 90", "spec: {intervals: [{every: 1m30s}]}"},
      {"timezone: Europe/Berlin", "spec: {timezone: Europe/Berlin}"},
      {"jobType: t", "action: {job: {type: t}}"},
      {"job_type: t", "action: {job: {type: t}}"},
      {"jobPayload: {a: 1}", "action: {job: {payload: {a: 1}}}"},
      {"job_payload: {a: 1}", "action: {job: {payload: {a: 1}}}"},
      {"payload: {a: 1}", "action: {job: {payload: {a: 1}}}"},
      {"jobPriority: HIGH", "action: {job: {priority: HIGH}}"},
      {"queue: q", "action: {job: {queue: q}}"},
      {"command: [a, b]", "action: {command: {argv: [a, b]}}"},
      {"command: a | b", "action: {command: {argv: [a | b], shell: true}}"},
      {"url: 'http://h'", "action: {http: {url: 'http://h'}}"},
      {"totalRepeats: 5", "policies: {totalRepeats: 5}"},
      {"total_repeats: 5", "policies: {totalRepeats: 5}"},
      {"maxRetries: 0", "policies: {retry: {maxAttempts: 1}}"},
      {"max_retries: 3", "policies: {retry: {maxAttempts: 4}}"},
      {"timeoutSeconds: 600", "policies: {timeout: 10m}"},
      {"workflowId: 1", "action: {job: {payload: {workflowId: 1}, type: workflow}}"},
      {"triggerNodeId: n", "action: {job: {payload: {triggerNodeId: n}, type: workflow}}"},
      {"trigger_payload: {a: 1}", "action: {job: {payload: {payload: {a: 1}}, type: workflow}}"},
      {"name: x", "name: x"},
      {"{cron: null, name: x}", "name: x"},
  };
  for (const Case& c : cases) {
    Problems problems;
    const LongForm form = to_long_form(yaml(c.given).get_object(), "", problems);

    EXPECT_THAT(problems, IsEmpty()) << c.given;
    EXPECT_EQ(form.document, yaml(c.expected).get_object()) << c.given << boost::json::serialize(form.document);
  }
}

TEST(ShortForm, joins_the_canonical_form_where_they_say_different_things) {
  const ScheduleDocument schedule = read(
      "{id: x, cron: '@daily', spec: {timezone: Europe/Berlin, cron: null}, jobPriority: low, action: {job: {type: t}},"
      " maxRetries: 1, policies: {retry: {backoff: fixed}}}");

  EXPECT_THAT(schedule.spec.crons, ElementsAre("@daily"));
  EXPECT_EQ(schedule.spec.timezone, "Europe/Berlin");
  EXPECT_EQ(std::get<JobAction>(schedule.action).priority, priority_low);
  EXPECT_EQ(schedule.policies.retry.attempt_count_max, 2);
  EXPECT_EQ(schedule.policies.retry.backoff, Backoff::fixed);
}

TEST(ShortForm, a_job_as_flat_requests_create_it) {
  const auto document = parse_json(R"({
    "name": "Daily Report",
    "description": "Generate daily sales report",
    "cronExpr": "0 9 * * *",
    "timezone": "America/New_York",
    "jobType": "report.generate",
    "jobPayload": { "reportType": "sales", "format": "pdf" },
    "jobPriority": "NORMAL"
  })");

  const ScheduleDocument schedule = read_schedule(document.value()).value();

  EXPECT_EQ(schedule.id.text(), "daily-report");
  EXPECT_THAT(schedule.spec.crons, ElementsAre("0 9 * * *"));
  EXPECT_EQ(schedule.spec.timezone, "America/New_York");
  const auto& job = std::get<JobAction>(schedule.action);
  EXPECT_EQ(job.type, "report.generate");
  EXPECT_EQ(boost::json::serialize(job.payload), R"({"reportType":"sales","format":"pdf"})");
  EXPECT_EQ(job.priority, priority_normal);
  EXPECT_EQ(schedule.policies, Policies{});
}

TEST(ShortForm, a_workflow_on_an_interval_as_flat_requests_create_it) {
  const auto document = parse_json(R"({
    "name": "Daily report",
    "workflow_id": 1,
    "trigger_node_id": "trigger_schedule_abc123",
    "interval_seconds": 86400,
    "total_repeats": 0,
    "max_retries": 3,
    "timeout_seconds": 600,
    "trigger_payload": {"report_type": "daily"}
  })");

  const ScheduleDocument schedule = read_schedule(document.value()).value();

  EXPECT_THAT(schedule.spec.intervals, ElementsAre(Interval{.every = 24h}));
  const auto& job = std::get<JobAction>(schedule.action);
  EXPECT_EQ(job.type, "workflow");
  EXPECT_EQ(job.payload,
            yaml("{workflowId: 1, triggerNodeId: trigger_schedule_abc123, payload: {report_type: daily}}"));
  Policies expected;
  expected.retry.attempt_count_max = 4;
  expected.retry.initial = 24h;
  expected.retry.delay_max = 240h;
  expected.timeout = 10min;
  expected.consecutive_failures_max = 1;
  EXPECT_EQ(schedule.policies, expected);
}

TEST(ShortForm, interval_seconds_brings_defaults_of_its_own) {
  const ScheduleDocument schedule = read("{id: x, intervalSeconds: 60, workflowId: 7}");

  EXPECT_EQ(schedule.policies.timeout, 600s);
  EXPECT_EQ(schedule.policies.retry.attempt_count_max, 4);
  EXPECT_EQ(schedule.policies.retry.initial, 60s);
  EXPECT_EQ(schedule.policies.retry.factor, 2);
  EXPECT_EQ(schedule.policies.retry.delay_max, 600s);
  EXPECT_EQ(schedule.policies.consecutive_failures_max, 1);
  EXPECT_EQ(std::get<JobAction>(schedule.action).payload, yaml("{workflowId: 7, triggerNodeId: null, payload: {}}"));
}

TEST(ShortForm, what_is_said_beats_the_defaults_of_interval_seconds) {
  const ScheduleDocument schedule = read(
      "{id: x, intervalSeconds: 60, jobType: t, maxRetries: 0, timeoutSeconds: 5,"
      " policies: {maxConsecutiveFailures: 0, retry: {initial: 1h}}}");

  EXPECT_EQ(schedule.policies.timeout, 5s);
  EXPECT_EQ(schedule.policies.retry.attempt_count_max, 1);
  EXPECT_EQ(schedule.policies.retry.initial, 1h);
  EXPECT_EQ(schedule.policies.retry.delay_max, std::nullopt);
  EXPECT_EQ(schedule.policies.consecutive_failures_max, 0);
}

TEST(ShortForm, every_brings_no_defaults) { EXPECT_EQ(read("{id: x, every: 60s, jobType: t}").policies, Policies{}); }

TEST(ShortForm, saying_something_twice_is_refused_at_the_short_key) {
  const std::vector<Case> cases{
      {"{cron: '@daily', cronExpr: '@daily', jobType: t}", "/cronExpr conflict"},
      {"{cronExpr: '@daily', cron_expr: '@daily', jobType: t}", "/cron_expr conflict"},
      {"{cron: '@daily', spec: {cron: '@daily'}, jobType: t}", "/cron conflict"},
      {"{every: 60s, intervalSeconds: 60, jobType: t}", "/intervalSeconds conflict"},
      {"{every: 60s, spec: {intervals: [{every: 60s}]}, jobType: t}", "/every conflict"},
      {"{timezone: UTC, spec: {timezone: UTC}, jobType: t}", "/timezone conflict"},
      {"{jobType: t, action: {job: {type: t}}}", "/jobType conflict"},
      {"{jobType: t, jobPayload: {}, payload: {}}", "/payload conflict"},
      {"{jobType: t, queue: q, action: {job: {queue: q}}}", "/queue conflict"},
      {"{jobType: t, workflowId: 1}", "/workflowId conflict"},
      {"{jobPayload: {}, workflowId: 1, jobType: workflow}", "/workflowId conflict"},
      {"{command: ls, action: {command: {argv: [ls]}}}", "/command conflict"},
      {"{url: 'http://h', action: {http: {url: 'http://h'}}}", "/url conflict"},
      {"{jobType: t, totalRepeats: 1, policies: {totalRepeats: 1}}", "/totalRepeats conflict"},
      {"{jobType: t, maxRetries: 1, policies: {retry: {maxAttempts: 2}}}", "/maxRetries conflict"},
      {"{jobType: t, timeoutSeconds: 1, policies: {timeout: 1s}}", "/timeoutSeconds conflict"},
      {"{jobType: t, url: 'http://h'}", "/action too-many"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(places("{id: x, " + std::string{c.given.substr(1)}), ElementsAre(c.expected)) << c.given;
  }
}

TEST(ShortForm, faults_are_told_where_they_were_written) {
  const std::vector<Case> cases{
      {"{cronExpr: '61 * * * *', jobType: t}", "/cronExpr invalid-cron"},
      {"{cron: ['@daily', x], jobType: t}", "/cron/1 invalid-cron"},
      {"{every: soon, jobType: t}", "/every invalid-duration"},
      {"{every: 1ms, jobType: t}", "/every out-of-range"},
      {"{intervalSeconds: 0, jobType: t}", "/intervalSeconds out-of-range"},
      {"{interval_seconds: '60', jobType: t}", "/interval_seconds wrong-type"},
      {"{timezone: 5, jobType: t}", "/timezone wrong-type"},
      {"{jobType: 5}", "/jobType wrong-type"},
      {"{jobType: t, job_priority: urgent}", "/job_priority invalid-word"},
      {"{queue: q}", "/jobType missing"},
      {"{command: ''}", "/command too-short"},
      {"{command: [a, 5]}", "/command/1 wrong-type"},
      {"{command: {argv: [a]}}", "/command wrong-type"},
      {"{url: nowhere}", "/url invalid-url"},
      {"{jobType: t, total_repeats: -1}", "/total_repeats out-of-range"},
      {"{jobType: t, maxRetries: -1}", "/maxRetries out-of-range"},
      {"{jobType: t, timeoutSeconds: 0}", "/timeoutSeconds out-of-range"},
      {"{jobType: t, timeoutSeconds: 10m}", "/timeoutSeconds wrong-type"},
      {"{jobType: t, spec: 5, cron: '@daily'}", "/spec not-an-object"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(places("{id: x, " + std::string{c.given.substr(1)}), ElementsAre(c.expected)) << c.given;
  }
}

TEST(ShortForm, a_patch_gets_only_what_it_names) {
  Problems problems;

  const LongForm form = to_long_form(yaml("{intervalSeconds: 60, workflowId: 2}").get_object(), "", problems);

  EXPECT_EQ(form.document,
            yaml("{spec: {intervals: [{every: 1m}]}, action: {job: {type: workflow, payload: {workflowId: 2}}}}")
                .get_object());
}

}  // namespace
}  // namespace carillon
