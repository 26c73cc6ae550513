// Runs every case of vectors.json through the pure core: documents, CSV, answers and whole runs with mock answers.
#include "document/document.hpp"
#include "pipeline/answer.hpp"
#include "pipeline/csv.hpp"
#include "pipeline/mock_answers.hpp"
#include "pipeline/pipeline_document.hpp"
#include "pipeline/run_document.hpp"
#include "pipeline/run_plan.hpp"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

const json::object& cases() {
  static const json::value all = [] {
    std::ifstream stream{CARILLON_VECTORS, std::ios::binary};
    return parse_json(std::string{std::istreambuf_iterator<char>{stream}, {}}).value();
  }();
  return all.get_object();
}

std::string text_of(const json::value& value) { return std::string{value.get_string()}; }

/// What a case expects of us: members of carillonExpect in place of those of expect.
json::object expected_of(const json::object& one, const json::object& original) {
  json::object expected = original;
  if (const json::value* ours = one.if_contains("carillonExpect"))
    for (const auto& member : ours->get_object()) {
      if (member.key() == "throws") expected.erase("output");
      expected[member.key()] = member.value();
    }
  return expected;
}

/// The folder of the package, in memory.
struct PackageFiles {
  const json::object& files;

  [[nodiscard]] const json::value* find(const std::string& name) const { return files.if_contains(name); }

  [[nodiscard]] AskingTexts texts(const Asking& asking) const {
    AskingTexts texts{.prompt = asking.prompt.text, .skill = {}};
    if (asking.prompt.is_file)
      for (const std::string folder : {"", "prompts/", "../prompts/"})
        if (const json::value* file = find(folder + asking.prompt.text)) {
          texts.prompt = prompt_of_file(text_of(*file)).value();
          break;
        }
    if (asking.skill)
      if (const json::value* file = find("../../../.github/skills/" + *asking.skill + "/SKILL.md"))
        texts.skill = prompt_of_file(text_of(*file)).value();
    return texts;
  }

  [[nodiscard]] OpenInput input(const Pipeline& pipeline) const {
    const auto* work = std::get_if<MapReduce>(&pipeline.work);
    const auto* csv = work == nullptr ? nullptr : std::get_if<CsvSource>(&work->input.source);
    if (csv == nullptr) return {};
    return [this, csv]() -> Result<NextItem> {
      const json::value* file = find(csv->path);
      if (file == nullptr) return fail(ErrorCode::not_found, "CSV file not found: <package>/{}", csv->path);
      const auto table = TRY(read_csv(text_of(*file), csv->delimiter));
      return input_of(table.items)();
    };
  }
};

RunTexts texts_in(const PackageFiles& files, const Pipeline& pipeline) {
  if (const auto* job = std::get_if<Job>(&pipeline.work))
    return {.filter = {}, .map = {}, .reduce = {}, .job = files.texts(job->asking)};
  const auto& work = std::get<MapReduce>(pipeline.work);
  RunTexts texts;
  texts.map = files.texts(work.map.asking);
  if (work.filter && work.filter->ai) texts.filter = files.texts(work.filter->ai->asking);
  if (work.reduce.asking) texts.reduce = files.texts(*work.reduce.asking);
  return texts;
}

/// Goes through a run one question after the other, and notes the questions.
json::array answer_all(PipelineRun& run, const MockAnswers& answers) {
  json::array asked;
  while (!run.is_done()) {
    const auto question = run.next();
    if (!question) continue;
    json::object entry{{"prompt", question->question.prompt}};
    if (!question->question.model.empty()) entry["model"] = question->question.model;
    asked.push_back(std::move(entry));
    const MockAnswer answer = answers.find(question->question.prompt);
    if (answer.error) {
      run.fail(question->number, *answer.error);
    } else {
      run.answer(question->number, answer.text);
    }
  }
  return asked;
}

/// A run in the form of the cases.
json::object observed(const Pipeline& pipeline, const PackageFiles& files, const MockAnswers& answers) {
  KeptResults results;
  RunAccess access = results.access(files.input(pipeline));
  const EachResult each = access.each_result;
  PipelineRun run{pipeline, texts_in(files, pipeline), std::move(access)};
  json::array asked = answer_all(run, answers);
  const json::object document = write_run(run, each);
  if (run.outcome().broken_in && *run.outcome().broken_in != Phase::reduce)
    return {{"throws", run.outcome().error}, {"phase", document.at("phase")}, {"asked", std::move(asked)}};

  json::object seen{{"success", document.at("success")}};
  if (document.contains("error")) seen["error"] = document.at("error");
  seen["formatted"] = nullptr;
  if (const json::value* output = document.if_contains("output")) {
    seen["formatted"] = output->at("formattedOutput");
    seen["summary"] = output->at("summary");
    json::array items;
    for (const json::value& result : output->at("results").get_array()) {
      json::object item;
      for (const auto& member : result.get_object())
        if (member.key() != "item") item[member.key()] = member.value();
      items.push_back(std::move(item));
    }
    if (!items.empty()) seen["items"] = std::move(items);
  }
  seen["stats"] = document.at("executionStats");
  if (run.outcome().filter)
    seen["filter"] = {{"included", run.outcome().filter->included}, {"excluded", run.outcome().filter->excluded}};
  seen["asked"] = std::move(asked);
  return seen;
}

/// Nothing is known to be wrong with a document, or the first fault.
json::object run_case(const json::object& one, bool is_lenient) {
  Document document{.root = one.at("pipeline"), .positions = {}};
  if (is_lenient) document.root.as_object()["compat"] = "lenient";
  const auto pipeline = read_pipeline(document, "UTC");
  if (!pipeline) return {{"throws", pipeline.error().front().message}, {"asked", json::array{}}};
  const json::object none;
  const json::value* files = one.if_contains("files");
  const json::value* answers = one.if_contains("answers");
  const auto mock = MockAnswers::read(answers == nullptr ? json::value(json::object{}) : *answers);
  return observed(*pipeline, PackageFiles{files == nullptr ? none : files->get_object()}, mock.value());
}

void expect_same(const json::object& expected, const json::object& seen) {
  for (const auto& member : expected) {
    if (member.key() == "phase") continue;
    const json::value* actual = seen.if_contains(member.key());
    EXPECT_NE(actual, nullptr) << member.key() << " is missing";
    if (actual == nullptr) continue;
    EXPECT_EQ(json::serialize(*actual), json::serialize(member.value())) << member.key();
  }
  EXPECT_EQ(seen.contains("throws"), expected.contains("throws")) << json::serialize(seen);
  EXPECT_EQ(seen.contains("error"), expected.contains("error"));
}

TEST(PipelineVectors, every_run_asks_and_gives_what_is_expected) {
  std::size_t count = 0;
  for (const json::value& value : cases().at("vectors").get_array()) {
    const json::object& one = value.get_object();
    SCOPED_TRACE(text_of(one.at("name")));
    expect_same(expected_of(one, one.at("expect").get_object()), run_case(one, false));
    if (one.contains("lenient")) expect_same(one.at("expect").get_object(), run_case(one, true));
    ++count;
  }
  std::printf("%zu runs\n", count);
  EXPECT_GE(count, 20U);
}

TEST(PipelineVectors, every_csv_text_gives_its_items) {
  std::size_t count = 0;
  for (const json::value& value : cases().at("csv").get_array()) {
    const json::object& one = value.get_object();
    SCOPED_TRACE(json::serialize(one));
    const json::value* delimiter = one.if_contains("delimiter");
    const auto table = read_csv(text_of(one.at("text")), delimiter == nullptr ? "," : text_of(*delimiter));
    ++count;
    if (one.contains("throws")) {
      ASSERT_FALSE(table.has_value());
      EXPECT_EQ(table.error().message, text_of(one.at("throws")));
      continue;
    }
    ASSERT_TRUE(table.has_value());
    json::array headers(table->headers.begin(), table->headers.end());
    json::array items(table->items.begin(), table->items.end());
    EXPECT_EQ(json::serialize(headers), json::serialize(one.at("headers")));
    EXPECT_EQ(json::serialize(items), json::serialize(one.at("items")));
  }
  std::printf("%zu CSV texts\n", count);
  EXPECT_GE(count, 10U);
}

void expect_answer(const json::object& expected, const json::object& one, bool is_lenient) {
  std::vector<std::string> fields;
  for (const json::value& field : one.at("fields").get_array()) fields.push_back(text_of(field));
  const auto output = read_answer(text_of(one.at("answer")), fields, is_lenient);
  if (expected.contains("throws")) {
    ASSERT_FALSE(output.has_value()) << json::serialize(*output);
    EXPECT_EQ(output.error().message, text_of(expected.at("throws")));
  } else {
    ASSERT_TRUE(output.has_value()) << output.error().message;
    EXPECT_EQ(json::serialize(*output), json::serialize(expected.at("output")));
  }
}

TEST(PipelineVectors, every_answer_is_read) {
  std::size_t count = 0;
  for (const json::value& value : cases().at("parse").get_array()) {
    const json::object& one = value.get_object();
    SCOPED_TRACE(json::serialize(one));
    expect_answer(one, one, true);
    expect_answer(expected_of(one, one), one, false);
    ++count;
  }
  std::printf("%zu answers\n", count);
  EXPECT_GE(count, 15U);
}

TEST(PipelineVectors, every_faulty_pipeline_is_refused_in_the_known_words) {
  std::size_t count = 0;
  for (const json::value& value : cases().at("validation").get_array()) {
    const json::object& one = value.get_object();
    if (one.contains("needsFiles")) continue;
    SCOPED_TRACE(json::serialize(one));
    const json::object seen = run_case(one, false);
    ASSERT_TRUE(seen.contains("throws")) << json::serialize(seen);
    EXPECT_EQ(text_of(seen.at("throws")), text_of(one.at("throws")));
    ++count;
  }
  std::printf("%zu faulty pipelines\n", count);
  EXPECT_GE(count, 21U);
}

}  // namespace
}  // namespace carillon::pipeline
