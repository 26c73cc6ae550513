#include "pipeline/pipeline_document.hpp"

#include <gmock/gmock.h>

namespace carillon::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view triage = R"(name: Daily Bug Report
description: Generate daily bug triage report
schedule:
  cron: "0 9 * * 1-5"
  timezone: America/New_York
  retryPolicy: {maxRetries: 5, retryDelayMs: 300000}
  missedExecution: skip
  window: {maxDelayMinutes: 30}
workingDirectory: ..
input:
  from: {type: csv, path: bugs.csv, delimiter: ";"}
  limit: 10
  parameters: [{name: team, value: core}]
filter:
  type: hybrid
  combineMode: or
  rule: {mode: any, rules: [{field: a.b, operator: in, values: [1, x]}]}
  ai: {prompt: "keep {{title}}?"}
map: {prompt: "Analyze bug: {{title}}", output: [severity, category], model: "{{model}}", parallel: 3, timeoutMs: 1500, batchSize: 4, provider: local}
reduce: {type: ai, promptFile: sum.md, skill: summaries}
tolerate: "2.5%"
budget: {maxCalls: 100, maxTokens: 20000, maxCost: 1.5}
compat: lenient
)";

Pipeline read_well(std::string_view text) {
  auto pipeline = read_pipeline_text("pipeline.yaml", text, "UTC");
  EXPECT_TRUE(pipeline.has_value()) << (pipeline ? "" : pipeline.error().front().message);
  return pipeline ? *pipeline : Pipeline{};
}

std::vector<FileFault> faults_of(std::string_view text) {
  auto pipeline = read_pipeline_text("pipeline.yaml", text, "UTC");
  return pipeline ? std::vector<FileFault>{} : pipeline.error();
}

std::vector<std::string> messages_of(std::string_view text) {
  std::vector<std::string> messages;
  for (const FileFault& fault : faults_of(text)) messages.push_back(fault.message);
  return messages;
}

constexpr std::string_view smallest =
    "name: p\ninput: {items: [{a: 1}]}\nmap: {prompt: \"{{a}}\"}\nreduce: {type: list}\n";

std::string with(std::string_view more) { return std::string{smallest} + std::string{more}; }

TEST(PipelineDocument, every_key_finds_its_place) {
  const Pipeline pipeline = read_well(triage);
  const auto& work = std::get<MapReduce>(pipeline.work);

  EXPECT_EQ(pipeline.name, "Daily Bug Report");
  EXPECT_EQ(pipeline.working_directory, "..");
  EXPECT_EQ(std::get<CsvSource>(work.input.source), (CsvSource{.path = "bugs.csv", .delimiter = ";"}));
  EXPECT_EQ(work.input.limit, 10);
  EXPECT_EQ(work.input.parameters, (std::vector<Parameter>{{.name = "team", .value = "core"}}));
  EXPECT_TRUE(work.filter->rule->is_any);
  EXPECT_EQ(work.filter->rule->rules.front().how, FilterOperator::in);
  EXPECT_EQ(work.filter->combination, Filter::Combination::either);
  EXPECT_EQ(work.filter->ai->asking.timeout, std::chrono::seconds{30});
  EXPECT_EQ(work.map.asking.output, (std::vector<std::string>{"severity", "category"}));
  EXPECT_EQ(work.map.asking.timeout, std::chrono::milliseconds{1500});
  EXPECT_EQ(work.map.asking.provider, "local");
  EXPECT_EQ(work.map.parallel, 3);
  EXPECT_EQ(work.map.batch_size, 4);
  EXPECT_EQ(work.reduce.asking->prompt, (Prompt{.is_file = true, .text = "sum.md"}));
  EXPECT_EQ(work.reduce.asking->skill, "summaries");
  EXPECT_EQ(pipeline.tolerate.percent, 2.5);
  EXPECT_EQ(pipeline.budget, (Budget{.calls = 100, .tokens = 20000, .cost = 1.5}));
  EXPECT_TRUE(pipeline.is_lenient);
}

TEST(PipelineDocument, a_schedule_block_becomes_spec_and_policies) {
  const PackageSchedule schedule = read_well(triage).schedule.value();

  EXPECT_THAT(schedule.spec.crons, ElementsAre("0 9 * * 1-5"));
  EXPECT_EQ(schedule.spec.timezone, "America/New_York");
  EXPECT_EQ(schedule.policies.retry.attempt_count_max, 6);
  EXPECT_EQ(schedule.policies.retry.backoff, Backoff::linear);
  EXPECT_EQ(schedule.policies.retry.initial, std::chrono::minutes{5});
  EXPECT_EQ(schedule.policies.catchup.policy, CatchupPolicy::none);
  EXPECT_EQ(schedule.policies.catchup.window, std::chrono::minutes{30});
}

TEST(PipelineDocument, a_schedule_that_says_little_retries_three_times_and_catches_up) {
  const PackageSchedule schedule = read_well(with("schedule: {cron: \"*/10 * * * * *\"}\n")).schedule.value();

  EXPECT_TRUE(schedule.enabled);
  EXPECT_EQ(schedule.spec.timezone, "UTC");
  EXPECT_EQ(schedule.policies.retry.attempt_count_max, 4);
  EXPECT_EQ(schedule.policies.retry.initial, std::chrono::minutes{1});
  EXPECT_EQ(schedule.policies.catchup.policy, CatchupPolicy::latest);
  EXPECT_EQ(schedule.policies.catchup.window, std::nullopt);
}

TEST(PipelineDocument, many_retries_wait_longer_each_time_without_a_limit) {
  const auto schedule =
      read_well(with("schedule: {cron: \"@daily\", retryPolicy: {maxRetries: 20, retryDelayMs: 1000}}\n")).schedule;

  EXPECT_EQ(delay_max_of(schedule->policies.retry), std::chrono::seconds{20});
}

TEST(PipelineDocument, faults_of_a_schedule_have_their_places) {
  const auto faults =
      faults_of(with("schedule:\n  cron: \"61 * * * *\"\n  retryPolicy: {maxRetries: -1}\n  wndow: {}\n"));

  ASSERT_EQ(faults.size(), 3U);
  EXPECT_EQ(faults[0].position, (Position{.line = 6, .column = 9}));
  EXPECT_EQ(faults[0].code, "invalid-cron");
  EXPECT_EQ(faults[1].position.line, 7U);
  EXPECT_EQ(faults[2].code, "unknown-key");
  EXPECT_EQ(faults[2].hint, "did you mean window?");
}

TEST(PipelineDocument, a_schedule_without_cron_is_refused) {
  EXPECT_THAT(messages_of(with("schedule: {enabled: false}\n")), ElementsAre("a schedule needs cron"));
}

TEST(PipelineDocument, all_faults_are_reported_at_once_and_the_known_ones_first) {
  EXPECT_THAT(messages_of("input: {items: 5, limt: 3}\nmap: {prompt: a, promptFile: b, skill: 3}\nreduce: {type: x}\n"),
              ElementsAre("Pipeline config missing \"name\"", "Pipeline config \"input.items\" must be an array",
                          "Pipeline config cannot have both \"map.prompt\" and \"map.promptFile\"",
                          "Pipeline config \"map.skill\" must be a string",
                          "Unsupported reduce type: x. Supported types: list, table, json, csv, ai, text",
                          "unknown key \"limt\""));
}

struct RefusedText {
  std::string text;
  std::string message;
};

TEST(PipelineDocument, every_refusal_has_its_words) {
  const std::string head = "name: p\ninput: {items: [{a: 1}]}\n";
  const std::string tail = "map: {prompt: x}\nreduce: {type: list}\n";
  const std::vector<RefusedText> refused{
      {"name: p\njob: {prompt: a}\nmap: {prompt: b}\n", "Cannot use `job` and `map` in the same pipeline"},
      {"name: p\njob: {prompt: a, promptFile: b}\n",
       "Job config cannot have both \"job.prompt\" and \"job.promptFile\""},
      {"name: p\njob: {prompt: \"{{x}} {{COUNT}} {{y}}\"}\n", "Job prompt has missing required variables: x, y"},
      {head, "Pipeline config missing \"map\""},
      {head + "map: {prompt: x}\n", "Pipeline config missing \"reduce\""},
      {head + "map: {prompt: x, output: a}\nreduce: {type: list}\n",
       "Pipeline config \"map.output\" must be an array if provided"},
      {head + "map: {prompt: x, batchSize: 1.5}\nreduce: {type: list}\n",
       "Pipeline config \"map.batchSize\" must be a positive integer"},
      {head + "map: {prompt: \"{{a}} {{b}} {{ITEMS}} {{c}}\"}\nreduce: {type: list}\n",
       "Items missing required fields: b, c"},
      {head + "map: {prompt: x}\nreduce: {type: ai, prompt: a, promptFile: b}\n",
       "Pipeline config cannot have both \"reduce.prompt\" and \"reduce.promptFile\""},
      {head + "map: {prompt: x}\nreduce: {type: ai, prompt: a, skill: [b]}\n",
       "Pipeline config \"reduce.skill\" must be a string"},
      {"name: p\ninput: {limit: 1}\n" + tail, "Input must have one of \"items\", \"from\", or \"generate\""},
      {"name: p\ninput: {from: {type: sql, path: x}}\n" + tail,
       "Unsupported source type: sql. Only \"csv\" is supported."},
      {"name: p\ninput: {from: {type: csv, path: ''}}\n" + tail, "Pipeline config missing \"input.from.path\""},
      {"name: p\ninput: {items: [], parameters: [{value: 1}]}\n" + tail, "Each parameter must have a \"name\" string"},
      {"name: p\ninput: {generate: {prompt: x}}\n" + tail, "Invalid generate configuration"},
      {"name: p\ninput: {generate: {prompt: '', schema: []}}\n" + tail,
       "Invalid generate configuration: Generate config requires a \"prompt\" string; Generate config \"schema\" must "
       "have at least one field"},
      {"name: p\ninput: {generate: {prompt: x, schema: [1, ' ', a, a]}}\n" + tail,
       "Invalid generate configuration: Schema field at index 0 must be a string; Schema field at index 1 cannot be "
       "empty; Duplicate schema field: \"a\""},
      {"name: p\ninput: {generate: {prompt: x, schema: [a]}}\n" + tail,
       "Pipelines with \"generate\" input require interactive approval. Use the Pipeline Preview to generate and "
       "approve items first, or set \"autoApprove: true\" in the generate config."},
      {head + tail + "filter: {type: rule}\n", "Failed to execute filter: Rule filter requires \"rule\" configuration"},
      {head + tail + "filter: {type: ai}\n", "Failed to execute filter: AI filter requires \"ai\" configuration"},
      {head + tail + "filter: {type: hybrid, ai: {prompt: x}}\n",
       "Failed to execute filter: Hybrid filter requires both \"rule\" and \"ai\" configuration"},
      {head + tail + "filter: {type: rule, rule: {rules: [{field: a, operator: like}]}}\n",
       "Failed to execute filter: Unknown operator: like"},
      {head + tail + "filter: {type: rule, rule: {rules: [{field: a, operator: matches, pattern: '('}]}}\n",
       "Failed to execute filter: Invalid regular expression: /(/: Unterminated group"},
  };
  for (const RefusedText& one : refused) {
    SCOPED_TRACE(one.text);
    const auto messages = messages_of(one.text);
    ASSERT_FALSE(messages.empty());
    EXPECT_EQ(messages.front(), one.message);
  }
}

TEST(PipelineDocument, what_the_original_never_checked_is_checked) {
  EXPECT_THAT(
      messages_of(
          "name: p\ninput: {items: [{a: 1}], limit: -1}\nmap: {prompt: x, parallel: many}\nreduce: {type: list}\n"),
      ElementsAre(HasSubstr("limit"), HasSubstr("whole number")));
  EXPECT_THAT(messages_of("name: p\ninput: {items: [word]}\nmap: {prompt: x}\nreduce: {type: list}\n"),
              ElementsAre("item 1 is not a map of fields"));
  EXPECT_THAT(messages_of(with("tolerate: much\n")),
              ElementsAre("tolerate is neither a number of items nor a percentage"));
  EXPECT_THAT(messages_of(with("tolerate: 101%\n")),
              ElementsAre("tolerate is neither a number of items nor a percentage"));
  EXPECT_THAT(messages_of(with("budget: {maxCalls: -1}\n")), ElementsAre(HasSubstr("maxCalls")));
  EXPECT_THAT(messages_of(with("compat: loose\n")), ElementsAre(HasSubstr("\"loose\"")));
}

TEST(PipelineDocument, a_misspelt_key_is_refused_with_the_right_one) {
  const auto faults = faults_of(with("shedule: {}\n"));

  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].message, "unknown key \"shedule\"");
  EXPECT_EQ(faults[0].hint, "did you mean schedule?");
  EXPECT_EQ(faults[0].position, (Position{.line = 5, .column = 10}));
}

TEST(PipelineDocument, a_text_that_is_no_yaml_is_one_fault_with_its_place) {
  const auto faults = faults_of("name: [p\n");

  ASSERT_EQ(faults.size(), 1U);
  EXPECT_GE(faults[0].position.line, 1U);
}

TEST(PipelineDocument, an_empty_file_has_no_name) {
  EXPECT_EQ(messages_of("").front(), "Pipeline config missing \"name\"");
  EXPECT_FALSE(messages_of("- a\n").empty());
}

}  // namespace
}  // namespace carillon::pipeline
