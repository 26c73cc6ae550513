#include "support/command_line_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <filesystem>

namespace carillon::cli {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

constexpr std::string_view grading = R"(name: grading
input:
  items: [{text: first}, {text: second}, {text: third}]
map:
  prompt: "Grade {{text}}"
  output: [grade]
reduce: {type: csv}
)";

/// A package in a folder of pipelines.
class Package : public ::testing::Test {
 protected:
  void write(std::string_view name, std::string_view text) {
    folder_.write(std::string{"pipelines/pkg/"} + std::string{name}, text);
  }
  void write_beside(std::string_view name, std::string_view text) { folder_.write(std::string{name}, text); }
  [[nodiscard]] std::string path() const { return folder_.path() / "pipelines/pkg"; }
  [[nodiscard]] std::string path_beside(std::string_view name) const { return folder_.path() / name; }

 private:
  TemporaryFolder folder_;
};

using PipelineRunCommand = Package;
using PipelineValidateCommand = Package;

TEST_F(PipelineRunCommand, answers_from_a_file_and_prints_one_object) {
  write("pipeline.yaml", grading);
  write_beside("mock.json", R"({"rules": [{"contains": "first", "answer": "{\"grade\": \"A\"}"}],
                                "default": "{\"grade\": \"B\"}"})");

  const Told told = carillon_says({"pipeline", "run", path(), "--mock", path_beside("mock.json"), "-o", "json"});

  ASSERT_EQ(told.exit_code, 0) << told.error;
  const json::value run = json::parse(told.output);
  EXPECT_EQ(run.at("success"), true);
  EXPECT_TRUE(run.at("error").is_null());
  EXPECT_EQ(run.at("formatted"), "text,out_grade,success\nfirst,A,true\nsecond,B,true\nthird,B,true");
  EXPECT_EQ(run.at("stats"), json::parse(R"({"totalItems": 3, "successfulMaps": 3, "failedMaps": 0})"));
  EXPECT_EQ(run.at("items").at(0), json::parse(R"({"output": {"grade": "A"}, "success": true})"));
  EXPECT_EQ(run.at("asked").at(1).at("prompt"), "Grade second\n\nReturn JSON with these fields: grade");
}

TEST_F(PipelineRunCommand, ends_with_10_if_an_item_failed) {
  write("pipeline.yaml", grading);
  write_beside("mock.json", R"({"rules": [{"contains": "first", "answer": {"error": "boom"}}],
                                "default": "{\"grade\": \"B\"}"})");

  const Told told = carillon_says({"pipeline", "run", path(), "--mock", path_beside("mock.json"), "-o", "json"});

  EXPECT_EQ(told.exit_code, 10);
  const json::value run = json::parse(told.output);
  EXPECT_EQ(run.at("success"), false);
  EXPECT_EQ(run.at("error"), "1 item failed: boom");
}

TEST_F(PipelineRunCommand, takes_a_limit_and_parameters) {
  write("pipeline.yaml", R"(name: p
input: {items: [{a: "1"}, {a: "2"}], parameters: [{name: region, value: US}]}
map: {prompt: "{{a}} {{region}} {{more}}"}
reduce: {type: text}
)");
  write_beside("mock.yaml", "default: ok\n");

  const Told told = carillon_says({"pipeline", "run", path(), "--mock", path_beside("mock.yaml"), "--limit", "1",
                                   "--param", "region=EU", "--param", "more=x=y", "-o", "json"});

  ASSERT_EQ(told.exit_code, 0) << told.output << told.error;
  EXPECT_EQ(json::parse(told.output).at("asked"), json::parse(R"([{"prompt": "1 EU x=y"}])"));
}

TEST_F(PipelineRunCommand, shows_what_it_would_ask_without_asking) {
  write("pipeline.yaml", grading);

  const Told told = carillon_says({"pipeline", "run", path(), "--dry-run"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_THAT(told.output, HasSubstr("--- question 3 (map) ---\nGrade third\n"));
  EXPECT_THAT(told.output, HasSubstr("3 questions, about "));
}

TEST_F(PipelineRunCommand, prints_the_object_also_for_what_cannot_run) {
  write("pipeline.yaml", "name: p\n");
  write_beside("mock.yaml", "default: ok\n");

  const Told told = carillon_says({"pipeline", "run", path(), "--mock", path_beside("mock.yaml"), "-o", "json"});

  EXPECT_EQ(told.exit_code, 2);
  const json::value run = json::parse(told.output);
  EXPECT_EQ(run.at("success"), false);
  EXPECT_EQ(run.at("error"), "Pipeline config missing \"input\"");
  EXPECT_EQ(run.at("asked"), json::array{});
}

/// A package, a file of providers, and the folder of a user.
class PipelineRunWithProviders : public Package {
 protected:
  PipelineRunWithProviders() { console_.variables["HOME"] = path_beside("home"); }

  Told run(std::vector<std::string> more = {}) {
    console_.output.clear();
    console_.error.clear();
    std::vector<std::string> words{"pipeline", "run", path(), "--providers", path_beside("providers.yaml")};
    words.insert(words.end(), more.begin(), more.end());
    return carillon_on(console_, words);
  }

  ScriptedConsole console_;
};

TEST_F(PipelineRunWithProviders, prints_the_output_and_says_what_became_of_the_items) {
  write("pipeline.yaml", grading);
  write_beside("providers.yaml", "providers: {demo: {type: mock, answers: answers.yaml}}\n");
  write_beside("answers.yaml", "default: '{\"grade\": \"B\"}'\n");

  const Told told = run({"--limit", "2"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "text,out_grade,success\nfirst,B,true\nsecond,B,true\n");
  EXPECT_THAT(told.error, HasSubstr("✔ 2 items, 0 failed, 2 questions asked, 34 tokens\n  result: "));
  EXPECT_THAT(told.error, HasSubstr("/pipelines/pkg/.results/"));
}

TEST_F(PipelineRunWithProviders, has_the_members_of_a_mock_run_and_what_was_spent_in_its_record) {
  write("pipeline.yaml", grading);
  write_beside("providers.yaml", "providers: {demo: {type: mock, answers: answers.yaml}}\n");
  write_beside("answers.yaml", "default: '{\"grade\": \"B\"}'\n");

  const Told told = run({"-o", "json"});

  ASSERT_EQ(told.exit_code, 0) << told.error;
  const json::value record = json::parse(told.output);
  EXPECT_EQ(record.at("success"), true);
  EXPECT_TRUE(record.at("error").is_null());
  EXPECT_EQ(record.at("formatted"), "text,out_grade,success\nfirst,B,true\nsecond,B,true\nthird,B,true");
  EXPECT_EQ(record.at("stats"), json::parse(R"({"totalItems": 3, "successfulMaps": 3, "failedMaps": 0})"));
  EXPECT_EQ(record.at("items").at(0), json::parse(R"({"output": {"grade": "B"}, "success": true})"));
  EXPECT_EQ(record.at("usage").at("calls"), 3);
  EXPECT_TRUE(std::filesystem::exists(std::string{record.at("resultFile").as_string()}));
}

TEST_F(PipelineRunWithProviders, fails_with_10_and_goes_on_the_next_time) {
  write("pipeline.yaml", grading);
  write_beside("providers.yaml", "providers: {demo: {type: mock, answers: answers.yaml}}\n");
  write_beside("answers.yaml", R"({rules: [{contains: second, answer: {error: boom}}], default: '{"grade": "B"}'})");
  const Told failed = run();
  write_beside("answers.yaml", R"({default: '{"grade": "C"}'})");

  const Told told = run();

  EXPECT_EQ(failed.exit_code, 10);
  EXPECT_THAT(failed.error, HasSubstr("✗ 3 items, 1 failed, 3 questions asked, 34 tokens: 1 item failed: boom"));
  EXPECT_THAT(failed.error, HasSubstr("run it again to go on"));
  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "text,out_grade,success\nfirst,B,true\nsecond,C,true\nthird,B,true\n");
  EXPECT_THAT(told.error, HasSubstr("2 answers from an earlier run"));
}

TEST_F(PipelineRunWithProviders, takes_the_package_as_it_is_now_and_forgets_answers_when_told_to) {
  write("pipeline.yaml", grading);
  write_beside("providers.yaml", "providers: {demo: {type: mock, answers: answers.yaml}}\n");
  write_beside("answers.yaml", R"({rules: [{contains: second, answer: {error: boom}}], default: '{"grade": "B"}'})");
  ASSERT_EQ(run().exit_code, 10);
  write("pipeline.yaml", std::string{grading} + "tolerate: 1\n");
  write_beside("answers.yaml", R"({rules: [{contains: second, answer: {error: boom}}], default: '{"grade": "D"}'})");

  EXPECT_EQ(run({"--restart"}).output, "text,out_grade,success\nfirst,D,true\nsecond,null,false\nthird,D,true\n");
}

TEST_F(PipelineRunWithProviders, asks_afresh_after_a_success) {
  write("pipeline.yaml", grading);
  write_beside("providers.yaml", "providers: {demo: {type: mock, answers: answers.yaml}}\n");
  write_beside("answers.yaml", R"({default: '{"grade": "B"}'})");
  ASSERT_EQ(run().exit_code, 0);
  write_beside("answers.yaml", R"({default: '{"grade": "C"}'})");

  EXPECT_THAT(run().output, HasSubstr("first,C,true"));
}

TEST_F(PipelineRunWithProviders, says_that_there_are_none_and_what_to_do) {
  write("pipeline.yaml", grading);

  const Told told = carillon_says({"pipeline", "run", path()});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("no providers file found"));
  EXPECT_THAT(told.error, HasSubstr("--providers FILE"));
}

TEST_F(PipelineRunWithProviders, reports_faults_of_the_package_as_invalid) {
  write("pipeline.yaml", "name: p\n");
  write_beside("providers.yaml", "providers: {demo: {type: mock}}\n");

  const Told told = run();

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("pipeline.yaml:1:1: Pipeline config missing \"input\""));
}

TEST_F(PipelineRunWithProviders, cannot_command_the_terminal_by_its_output) {
  write("pipeline.yaml", "name: p\ninput: {items: [{t: x}]}\nmap: {prompt: '{{t}}'}\nreduce: {type: text}\n");
  write_beside("providers.yaml", "providers: {demo: {type: mock, answers: answers.yaml}}\n");
  write_beside("answers.yaml", "default: \"\\e]0;owned\\a\\e[2J done\"\n");
  const Told piped = run();
  console_.has_terminal = true;

  const Told seen = run();

  EXPECT_THAT(piped.output, HasSubstr("\x1b[2J done"));
  EXPECT_THAT(seen.output, ::testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(seen.output, HasSubstr("done"));
}

TEST_F(PipelineRunWithProviders, draws_a_bar_on_a_terminal) {
  write("pipeline.yaml", grading);
  write_beside("providers.yaml", "providers: {demo: {type: mock}}\n");
  console_.has_terminal = true;

  EXPECT_THAT(run().error, HasSubstr("\r████████████████████  3/3 items · 42 tokens\x1b[K\n"));
}

TEST_F(PipelineRunWithProviders, would_cost_what_the_price_table_says) {
  write("pipeline.yaml", grading);
  write_beside("providers.yaml", "providers: {demo: {type: mock, model: m, prices: {m: {input: 0, output: 1000}}}}\n");

  const Told told = run({"--dry-run"});
  const Told record = run({"--dry-run", "-o", "json"});

  EXPECT_THAT(told.output, HasSubstr("Price about 0.7680, assuming 256 tokens an answer.\n"));
  EXPECT_NEAR(json::parse(record.output).at("estimatedCost").as_double(), 0.768, 1e-9);
}

TEST_F(PipelineRunWithProviders, says_which_model_has_no_price) {
  write("pipeline.yaml", grading);
  write_beside("providers.yaml", "providers: {demo: {type: mock, model: m}}\n");

  const Told told = run({"--dry-run"});
  const Told record = run({"--dry-run", "-o", "json"});

  EXPECT_THAT(told.output, HasSubstr("Price unknown: the provider demo has no price for the model m.\n"));
  EXPECT_TRUE(json::parse(record.output).at("estimatedCost").is_null());
}

TEST_F(PipelineValidateCommand, names_every_fault_with_its_place) {
  write("pipeline.yaml", "name: p\ninput: {items: [{a: b}]}\nmap:\n  promt: x\n  batchSize: 0\nreduce: {type: list}\n");

  const Told told = carillon_says({"pipeline", "validate", path(), "-o", "json"});

  EXPECT_EQ(told.exit_code, 2);
  const json::array faults = json::parse(told.output).as_array();
  ASSERT_GE(faults.size(), 3U) << told.output;
  for (const json::value& fault : faults)
    for (const char* member : {"file", "line", "column", "code", "message", "hint"})
      EXPECT_TRUE(fault.as_object().contains(member)) << member;
  EXPECT_THAT(told.output, HasSubstr("must have either \\\"map.prompt\\\" or \\\"map.promptFile\\\""));
  EXPECT_THAT(told.output, HasSubstr("\"line\": 4"));
  EXPECT_EQ(faults[0].at("file").as_string(), path() + "/pipeline.yaml");
}

TEST_F(PipelineValidateCommand, finds_files_and_fields_that_are_missing) {
  write("pipeline.yaml",
        "name: p\ninput: {from: {type: csv, path: none.csv}}\nmap: {prompt: x}\nreduce: {type: list}\n");
  const Told missing_file = carillon_says({"pipeline", "validate", path()});
  write("none.csv", "a\n1\n");
  const Told all_there = carillon_says({"pipeline", "validate", path()});

  EXPECT_EQ(missing_file.exit_code, 2);
  EXPECT_THAT(missing_file.output, HasSubstr("CSV file not found"));
  EXPECT_EQ(all_there.exit_code, 0) << all_there.output;
  EXPECT_THAT(all_there.output, HasSubstr("1 package, no errors"));
}

TEST_F(PipelineValidateCommand, says_where_it_looked) {
  const Told told = carillon_says({"pipeline", "validate", path_beside("nowhere")});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_THAT(told.error, HasSubstr("does not exist"));
}

}  // namespace
}  // namespace carillon::cli
