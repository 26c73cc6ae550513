#include "cli/pipelines/trial_run.hpp"

#include <map>
#include <utility>

namespace carillon::cli {

namespace {

namespace json = boost::json;
using pipeline::MockAnswer;
using pipeline::OpenQuestion;
using pipeline::Phase;

json::array asked_records(const std::vector<AskedQuestion>& questions) {
  json::array records;
  for (const AskedQuestion& question : questions) {
    json::object record{{"prompt", question.prompt}};
    if (!question.model.empty()) record["model"] = question.model;
    records.push_back(std::move(record));
  }
  return records;
}

/// The results without the items they are about, which the formatted output has.
json::array item_records(json::array& results) {
  for (json::value& result : results) result.as_object().stable_erase("item");
  return std::move(results);
}

std::string included(const OpenQuestion& question) {
  return question.question.fields.empty() ? "yes" : R"({"include": true})";
}

}  // namespace

void TrialRun::note(const OpenQuestion& open) {
  asked_.push_back({.phase = open.phase,
                    .prompt = open.question.prompt,
                    .model = open.question.model,
                    .provider = provider_of(pipeline_, open)});
}

void TrialRun::answer_with(const pipeline::MockAnswers& answers) {
  struct Arriving {
    std::size_t number;
    MockAnswer answer;
  };
  std::multimap<Duration, Arriving> arriving;  // by when; equal ones in the order they were asked
  Duration now{0};
  while (!run_.is_done()) {
    while (const auto open = run_.next()) {
      note(*open);
      const MockAnswer answer = answers.find(open->question.prompt);
      arriving.emplace(now + answer.delay, Arriving{.number = open->number, .answer = answer});
    }
    if (run_.is_done() || arriving.empty()) break;
    const auto first = arriving.extract(arriving.begin());
    now = first.key();
    const Arriving& next = first.mapped();
    if (next.answer.error)
      run_.fail(next.number, *next.answer.error);
    else if (next.answer.text.empty())
      run_.fail(next.number, "the answer is empty");
    else
      run_.answer(next.number, next.answer.text);
  }
}

void TrialRun::preview() {
  while (const auto open = run_.next()) {
    note(*open);
    if (open->phase == Phase::filter)
      run_.answer(open->number, included(*open));
    else
      run_.fail(open->number, "not asked");
  }
}

void TrialRun::begin() {
  while (const auto open = run_.next()) {
    if (open->phase != Phase::filter) return;
    run_.answer(open->number, included(*open));
  }
}

json::object TrialRun::record() const {
  json::object run = write_run(run_, [this](const auto& use) { results_.each(use); });
  const auto member = [&run](std::string_view name) {
    json::value* const value = run.if_contains(name);
    return value == nullptr ? json::value{} : std::move(*value);
  };
  json::object record{{"success", member("success")}, {"error", member("error")}};
  if (json::value* const output = run.if_contains("output")) {
    json::object& parts = output->as_object();
    record["formatted"] = std::move(parts["formattedOutput"]);
    record["summary"] = std::move(parts["summary"]);
    record["stats"] = member("executionStats");
    record["items"] = item_records(parts["results"].as_array());
  } else {
    record["formatted"] = nullptr;
    record["summary"] = nullptr;
    record["stats"] = member("executionStats");
    record["items"] = json::array{};
  }
  if (run.contains("filterResult")) record["filter"] = member("filterResult");
  if (run.contains("phase")) record["phase"] = member("phase");
  record["asked"] = asked_records(asked_);
  return record;
}

json::object failed_record(std::string_view error, std::optional<Phase> phase) {
  json::object record{{"success", false},   {"error", error},   {"formatted", nullptr},
                      {"summary", nullptr}, {"stats", nullptr}, {"items", json::array{}}};
  if (phase) record["phase"] = to_text(*phase);
  record["asked"] = json::array{};
  return record;
}

}  // namespace carillon::cli
