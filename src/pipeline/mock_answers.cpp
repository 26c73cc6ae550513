#include "pipeline/mock_answers.hpp"

#include "definitions/members.hpp"
#include "document/json_pointer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <utility>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::int64_t mock_delay_ms_max = 24LL * 3'600'000;
constexpr int delays_within_each_other_max = 4;

void note_bad_answer(std::string pointer, Problems& problems) {
  problems.push_back({.pointer = std::move(pointer),
                      .code = "wrong-type",
                      .message = "a mock answer is a text, {error: text} or {delayMs: n, answer: …}",
                      .hint = {},
                      .position = {}});
}

MockAnswer read_mock_answer(const json::value& value, const std::string& pointer, Problems& problems, int depth = 0) {
  if (const auto* text = value.if_string()) return {.text = std::string{*text}, .error = {}, .delay = {}};
  if (!value.is_object() || depth > delays_within_each_other_max) {
    note_bad_answer(pointer, problems);
    return {};
  }
  ObjectReader reader{value, pointer, problems};
  MockAnswer answer;
  const auto error = reader.text("error");
  const auto delay = integer_within(reader, "delayMs", 0, mock_delay_ms_max);
  const json::value* inner = reader.member("answer");
  reader.finish();
  if (inner != nullptr) answer = read_mock_answer(*inner, reader.pointer("answer"), problems, depth + 1);
  if (error) answer.error = std::string{*error};
  if (inner == nullptr && !error) note_bad_answer(pointer, problems);
  answer.delay += std::chrono::milliseconds{delay.value_or(0)};
  return answer;
}

}  // namespace

Checked<MockAnswers> MockAnswers::read(const json::value& document) {
  Problems problems;
  MockAnswers answers;
  ObjectReader reader{document, "", problems};
  if (const json::value* exact = reader.member("exact")) {
    ObjectReader prompts{*exact, reader.pointer("exact"), problems};
    if (const auto* object = exact->if_object())
      for (const auto& member : *object)
        answers.exact_.emplace(member.key(), read_mock_answer(member.value(), prompts.pointer(member.key()), problems));
  }
  if (const json::value* rules = reader.member("rules"); rules != nullptr && rules->is_array()) {
    for (std::size_t i = 0; i < rules->get_array().size(); ++i) {
      ObjectReader rule{rules->get_array()[i], element_pointer(reader.pointer("rules"), i), problems};
      Rule read{.part = std::string{rule.text("contains").value_or("")}, .answer = {}};
      const json::value* answer = rule.member("answer");
      rule.finish();
      if (answer == nullptr) {
        note_bad_answer(rule.pointer("answer"), problems);
      } else {
        read.answer = read_mock_answer(*answer, rule.pointer("answer"), problems);
      }
      answers.rules_.push_back(std::move(read));
    }
  } else if (rules != nullptr) {
    reader.problem("rules", "wrong-type", "rules is not a list", "write [{contains: …, answer: …}]");
  }
  if (const json::value* otherwise = reader.member("default"))
    answers.default_ = read_mock_answer(*otherwise, reader.pointer("default"), problems);
  reader.finish();
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return answers;
}

MockAnswer MockAnswers::find(std::string_view prompt) const {
  if (const auto found = exact_.find(prompt); found != exact_.end()) return found->second;
  for (const Rule& rule : rules_)
    if (prompt.find(rule.part) != std::string_view::npos) return rule.answer;
  if (default_) return *default_;
  return {.text = {}, .error = "the mock has no answer to this prompt", .delay = {}};
}

}  // namespace carillon::pipeline
