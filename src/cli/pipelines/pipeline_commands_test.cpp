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
