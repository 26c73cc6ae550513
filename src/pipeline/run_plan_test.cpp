#include "pipeline/run_plan.hpp"

#include "pipeline/mock_answers.hpp"
#include "pipeline/pipeline_document.hpp"
#include "pipeline/run_document.hpp"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>

namespace carillon::pipeline {
namespace {

using testing::ElementsAre;

namespace json = boost::json;

Pipeline pipeline_of(std::string_view text) { return read_pipeline_text("pipeline.yaml", text, "UTC").value(); }

/// A run with its results in memory.
struct WholeRun {
  explicit WholeRun(std::string_view text, OpenInput input = {})
      : pipeline{pipeline_of(text)}, run{pipeline, inline_texts(pipeline), results.access(std::move(input))} {}

  /// Asks everything, one question after the other.
  WholeRun& with(std::string_view mock) {
    const auto answers = MockAnswers::read(json::parse(mock)).value();
    while (!run.is_done()) {
      const auto question = run.next();
      if (!question) continue;
      prompts.push_back(question->question.prompt);
      const MockAnswer answer = answers.find(prompts.back());
      answer.error ? run.fail(question->number, *answer.error) : run.answer(question->number, answer.text);
    }
    return *this;
  }
  [[nodiscard]] std::string output() const {
    std::string text;
    run.write_output([&](std::string_view piece) { text += piece; });
    return text;
  }

  Pipeline pipeline;
  KeptResults results;
  PipelineRun run;
  std::vector<std::string> prompts;
};

constexpr std::string_view three = R"(name: p
input: {items: [{i: a}, {i: b}, {i: c}]}
map: {prompt: "{{i}}", parallel: 2}
reduce: {type: text}
)";

TEST(PipelineRun, no_more_questions_are_open_than_allowed_and_answers_come_in_any_order) {
  WholeRun whole{three};

  const auto first = whole.run.next();
  const auto second = whole.run.next();
  EXPECT_FALSE(whole.run.next().has_value());
  whole.run.answer(second->number, "B");
  const auto third = whole.run.next();
  ASSERT_TRUE(third.has_value());
  whole.run.answer(third->number, "C");
  EXPECT_FALSE(whole.run.next().has_value());
  EXPECT_FALSE(whole.run.is_done());
  whole.run.answer(first->number, "A");
  EXPECT_FALSE(whole.run.next().has_value());

  EXPECT_TRUE(whole.run.is_done());
  EXPECT_EQ(whole.output(), "--- Item 1 ---\nA\n\n--- Item 2 ---\nB\n\n--- Item 3 ---\nC");
}

TEST(PipelineRun, rows_are_read_no_faster_than_they_are_asked_about) {
  std::size_t read = 0;
  const OpenInput endless = [&]() -> Result<NextItem> {
    return NextItem{[&read]() -> Result<std::optional<Item>> { return Item{{"i", ++read}}; }};
  };
  WholeRun whole{
      "name: p\ninput: {from: {type: csv, path: x}}\nmap: {prompt: \"{{i}}\", parallel: 2}\nreduce: {type: list}\n",
      endless};

  EXPECT_TRUE(whole.run.next().has_value());
  EXPECT_TRUE(whole.run.next().has_value());
  EXPECT_FALSE(whole.run.next().has_value());

  EXPECT_EQ(read, 3U);  // the first one twice: it is checked before anything is asked
}

TEST(PipelineRun, a_filter_without_answer_fails_its_item_at_its_place) {
  WholeRun whole{std::string{three} + "filter: {type: ai, ai: {prompt: \"keep {{i}}?\"}}\n"};
  whole.with(R"({"exact": {"keep a?": "yes", "keep b?": {"error": "down"}, "keep c?": "yes"}, "default": "ok"})");

  EXPECT_THAT(whole.prompts, ElementsAre("keep a?", "keep b?", "keep c?", "a", "c"));
  EXPECT_EQ(whole.run.outcome().error, "1 item failed: AI filter failed: down");
  EXPECT_EQ(whole.run.outcome().filter, (FilterCounts{.included = 2, .excluded = 0, .failed = 1}));
  std::vector<std::string> errors;
  whole.results.each([&](const ItemResult& result) { errors.push_back(result.error); });
  EXPECT_THAT(errors, ElementsAre("", "AI filter failed: down", ""));
}

TEST(PipelineRun, a_lenient_filter_without_answer_leaves_its_item_out) {
  WholeRun whole{std::string{three} + "compat: lenient\nfilter: {type: ai, ai: {prompt: \"keep {{i}}?\"}}\n"};
  whole.with(R"({"exact": {"keep b?": {"error": "down"}}, "default": "yes"})");

  EXPECT_TRUE(whole.run.outcome().is_success());
  EXPECT_EQ(whole.run.outcome().filter, (FilterCounts{.included = 2, .excluded = 1, .failed = 0}));
}

TEST(PipelineRun, a_prompt_with_all_items_sees_those_that_the_filter_left) {
  WholeRun whole{R"(name: p
input: {items: [{i: 1}, {i: 2}]}
filter: {type: rule, rule: {rules: [{field: i, operator: gte, value: 2}]}}
map: {prompt: "{{i}} of {{ITEMS}}"}
reduce: {type: text}
)"};
  whole.with(R"({"default": "ok"})");

  EXPECT_THAT(whole.prompts, ElementsAre("2 of [\n  {\n    \"i\": 2\n  }\n]"));
}

TEST(PipelineRun, generated_items_are_asked_for_first) {
  WholeRun whole{R"(name: p
input: {generate: {prompt: make, schema: [a], autoApprove: true}, limit: 1}
map: {prompt: "q{{a}}"}
reduce: {type: text}
)"};
  whole.with(R"({"rules": [{"contains": "JSON array", "answer": "[{\"a\":1},{\"a\":2}]"}], "default": "ok"})");

  EXPECT_EQ(whole.prompts.back(), "q1");
  EXPECT_EQ(whole.output(), "ok");
}

TEST(PipelineRun, items_that_cannot_be_generated_end_the_run) {
  WholeRun whole{
      "name: p\ninput: {generate: {prompt: make, schema: [a], autoApprove: true}}\nmap: {prompt: x}\nreduce: {type: "
      "text}\n"};
  whole.with(R"({"default": ""})");

  EXPECT_EQ(whole.run.outcome().error, "Failed to generate input items: AI returned empty response");
  EXPECT_EQ(whole.run.outcome().broken_in, Phase::input);
}

TEST(PipelineRun, without_items_there_is_no_output_and_no_reduction) {
  WholeRun whole{
      "name: p\ninput: {items: [{i: 1}], limit: 0}\nmap: {prompt: \"{{j}}\"}\nreduce: {type: ai, prompt: sum}\n"};
  whole.with("{}");

  EXPECT_THAT(whole.prompts, ElementsAre());
  EXPECT_TRUE(whole.run.outcome().is_success());
  EXPECT_FALSE(whole.run.outcome().has_output);
}

TEST(PipelineRun, a_reduction_without_answer_ends_the_run) {
  WholeRun whole{"name: p\ninput: {items: [{i: 1}]}\nmap: {prompt: \"{{i}}\"}\nreduce: {type: ai, prompt: sum}\n"};
  whole.with(R"({"exact": {"sum": {"error": "busy"}}, "default": "ok"})");

  EXPECT_EQ(whole.run.outcome().error, "Reduce phase failed: AI reduce failed: busy");
  EXPECT_FALSE(whole.run.outcome().has_output);
  EXPECT_EQ(whole.run.outcome().items, (Counts{.total = 1, .succeeded = 1}));
}

TEST(PipelineRun, a_reduction_of_batches_keeps_all_members_of_its_answer) {
  WholeRun whole{R"(name: p
input: {items: [{i: 1}, {i: 2}]}
map: {prompt: "{{ITEMS}}", output: [g], batchSize: 2}
reduce: {type: ai, prompt: sum, output: [total]}
)"};
  whole.with(
      R"({"rules": [{"contains": "sum", "answer": "so {\"Total\": 2} it is"}], "default": "[{\"g\":1},{\"g\":2}]"})");

  EXPECT_EQ(whole.output(), "{\n  \"Total\": 2\n}");
  EXPECT_THAT(whole.run.outcome().output_fields, ElementsAre("total"));
}

TEST(PipelineRun, the_results_may_stand_in_a_file) {
  const Pipeline pipeline = pipeline_of(
      "name: p\ninput: {items: [{i: 1}]}\nmap: {prompt: \"{{i}}\"}\nreduce: {type: ai, prompt: \"see "
      "{{RESULTS_FILE}}\"}\n");
  KeptResults results;
  RunAccess access = results.access({});
  std::string written;
  access.write_results_file = [&](std::string_view text) -> Result<std::string> {
    written = text;
    return "/tmp/results.json";
  };
  PipelineRun run{pipeline, inline_texts(pipeline), std::move(access)};

  run.answer(run.next()->number, "ok");
  const auto question = run.next();

  ASSERT_TRUE(question.has_value());
  EXPECT_EQ(question->question.prompt, "see /tmp/results.json");
  EXPECT_EQ(written, "[\n  \"ok\"\n]");
}

TEST(PipelineRun, tolerated_failures_leave_a_success) {
  WholeRun whole{std::string{three} + "tolerate: 34%\n"};
  whole.with(R"({"exact": {"b": {"error": "x"}}, "default": "ok"})");

  EXPECT_TRUE(whole.run.outcome().is_success());
  EXPECT_EQ(whole.run.outcome().maps.failed(), 1U);
}

TEST(PipelineRun, an_empty_answer_is_a_failure) {
  WholeRun whole{three};
  whole.with(R"({"default": ""})");

  EXPECT_EQ(whole.run.outcome().error, "3 items failed: AI invocation failed");
}

TEST(PipelineRun, a_job_that_cannot_be_read_has_an_empty_output) {
  WholeRun whole{"name: p\njob: {prompt: x, output: [a]}\n"};
  whole.with(R"({"default": "words"})");

  EXPECT_EQ(whole.run.outcome().error, "Failed to parse AI response: Response does not contain a JSON object");
  EXPECT_EQ(whole.output(), "");
  EXPECT_EQ(whole.run.outcome().items, (Counts{.total = 1, .succeeded = 0}));
}

TEST(PipelineRun, bytes_that_are_no_text_are_replaced) {
  WholeRun whole{"name: p\njob: {prompt: x}\n"};
  whole.run.answer(whole.run.next()->number, "a\xff");

  EXPECT_EQ(whole.output(), "a\ufffd");
}

TEST(PipelineRun, an_input_that_cannot_be_read_ends_the_run) {
  WholeRun whole{"name: p\ninput: {from: {type: csv, path: x}}\nmap: {prompt: \"{{i}}\"}\nreduce: {type: list}\n",
                 []() -> Result<NextItem> { return fail(ErrorCode::not_found, "CSV file not found: x"); }};
  whole.with("{}");

  EXPECT_EQ(whole.run.outcome().error, "Failed to read input: CSV file not found: x");
  EXPECT_EQ(whole.run.outcome().broken_in, Phase::input);
}

TEST(PipelineRun, a_run_that_is_stopped_keeps_what_it_has) {
  WholeRun whole{three};
  whole.run.answer(whole.run.next()->number, "A");
  static_cast<void>(whole.run.next());
  whole.run.stop("cancelled");

  EXPECT_TRUE(whole.run.is_done());
  EXPECT_EQ(whole.run.outcome().error, "cancelled");
  EXPECT_EQ(whole.run.outcome().items, (Counts{.total = 1, .succeeded = 1}));
}

TEST(MockAnswers, the_whole_prompt_comes_before_rules_and_rules_before_the_default) {
  const auto answers = MockAnswers::read(json::parse(
      R"({"exact": {"ab": "1"}, "rules": [{"contains": "a", "answer": {"delayMs": 5, "answer": {"error": "x"}}}], "default": "3"})"));

  ASSERT_TRUE(answers.has_value());
  EXPECT_EQ(answers->find("ab"), (MockAnswer{.text = "1", .error = {}, .delay = {}}));
  EXPECT_EQ(answers->find("xa"), (MockAnswer{.text = "", .error = "x", .delay = std::chrono::milliseconds{5}}));
  EXPECT_EQ(answers->find("z").text, "3");
}

TEST(MockAnswers, a_prompt_that_nothing_fits_fails) {
  EXPECT_TRUE(MockAnswers::read(json::parse("{}"))->find("x").error.has_value());
}

TEST(MockAnswers, faults_are_reported_with_their_places) {
  const auto answers = MockAnswers::read(json::parse(R"({"rules": [{"contains": "a"}], "default": 5, "exakt": {}})"));

  ASSERT_FALSE(answers.has_value());
  std::vector<std::string> pointers;
  for (const Problem& problem : answers.error()) pointers.push_back(problem.pointer);
  EXPECT_THAT(pointers, ElementsAre("/rules/0/answer", "/default", "/exakt"));
}

constexpr std::string_view corrected = R"(name: p
input: {items: [{i: a}, {i: b}]}
map: {prompt: "{{i}}", output: [g], parallel: 1, correct: true}
reduce: {type: csv}
)";

TEST(PipelineRun, asks_once_more_for_an_answer_that_cannot_be_read_and_shows_what_was_wrong) {
  WholeRun whole{corrected};

  whole.with(R"({"rules": [{"contains": "Your answer was:\nno idea", "answer": "{\"g\": 1}"},
                           {"contains": "a\n\nReturn", "answer": "no idea"}], "default": "{\"g\": 2}"})");

  EXPECT_TRUE(whole.run.outcome().is_success()) << whole.run.outcome().error;
  EXPECT_EQ(whole.output(), "i,out_g,success\na,1,true\nb,2,true");
  ASSERT_EQ(whole.prompts.size(), 3U);
  EXPECT_THAT(whole.prompts[1],
              testing::StartsWith(whole.prompts[0] + "\n\nYour answer was:\nno idea\n\nIt cannot be used: "));
}

TEST(PipelineRun, fails_an_item_whose_second_answer_cannot_be_read_either) {
  WholeRun whole{corrected};

  whole.with(R"({"default": "no idea"})");

  EXPECT_EQ(whole.prompts.size(), 4U);
  EXPECT_EQ(whole.run.counts(), (Counts{.total = 2, .succeeded = 0}));
}

TEST(PipelineRun, corrects_batches_reductions_and_jobs) {
  WholeRun batch{R"(name: p
input: {items: [{i: a}, {i: b}]}
map: {prompt: "{{ITEMS}}", output: [g], batchSize: 2, correct: true}
reduce: {type: ai, prompt: sum, output: [s], correct: true}
)"};
  batch.with(R"({"rules": [{"contains": "was:\nnot a sum", "answer": "{\"s\": 3}"},
                           {"contains": "sum", "answer": "not a sum"},
                           {"contains": "Your answer was", "answer": "[{\"g\": 1}, {\"g\": 2}]"}],
                "default": "no list"})");
  EXPECT_TRUE(batch.run.outcome().is_success()) << batch.run.outcome().error;
  EXPECT_EQ(batch.prompts.size(), 4U);
  WholeRun job{"name: p\njob: {prompt: count, output: [n], correct: true}\n"};

  job.with(R"({"rules": [{"contains": "Your answer was", "answer": "{\"n\": 3}"}], "default": "three"})");

  EXPECT_TRUE(job.run.outcome().is_success());
  EXPECT_EQ(job.prompts.size(), 2U);
}

TEST(PipelineRun, leaves_answers_alone_that_are_not_to_be_corrected) {
  WholeRun whole{"name: p\ninput: {items: [{i: a}]}\nmap: {prompt: '{{i}}', output: [g]}\nreduce: {type: csv}\n"};

  whole.with(R"({"default": "no idea"})");

  EXPECT_EQ(whole.prompts.size(), 1U);
}

}  // namespace
}  // namespace carillon::pipeline
