#include "definitions/members.hpp"
#include "pipeline/document_parts.hpp"
#include "pipeline/javascript.hpp"
#include "pipeline/pattern.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

/// In the order of FilterOperator.
constexpr std::array<std::string_view, 11> operator_words{"equals",   "not_equals",   "in",           "not_in",
                                                          "contains", "not_contains", "greater_than", "less_than",
                                                          "gte",      "lte",          "matches"};
constexpr std::array<std::string_view, 2> mode_words{"all", "any"};
constexpr std::array<std::string_view, 2> combination_words{"and", "or"};
constexpr Duration filter_timeout = std::chrono::seconds{30};

void note_filter(Section& section, std::string_view key, std::string_view code, std::string_view what) {
  section.fault(key, code, fmt::format("Failed to execute filter: {}", what));
}

/// What stands at a member, in the words of JavaScript.
std::string shown_member(const json::value* value) { return value == nullptr ? "undefined" : string_of(*value); }

FilterOperator read_operator(Section& section) {
  const json::value* value = section.find("operator");
  if (value != nullptr && value->is_string()) {
    const auto found = std::ranges::find(operator_words, std::string_view{value->get_string()});
    if (found != operator_words.end()) return static_cast<FilterOperator>(found - operator_words.begin());
  }
  note_filter(section, "operator", "invalid-word", fmt::format("Unknown operator: {}", shown_member(value)));
  return FilterOperator::equals;
}

void read_pattern(Section& section, FilterRule& rule) {
  rule.pattern = section.reader.text("pattern").value_or("");
  if (rule.how != FilterOperator::matches) return;
  if (rule.pattern.empty()) return note_filter(section, "", "missing", "matches operator requires pattern");
  if (const auto pattern = Pattern::compile(rule.pattern); !pattern)
    note_filter(section, "pattern", "invalid-pattern", pattern.error().message);
}

FilterRule read_rule(const json::value& value, std::string pointer, PipelineProblems& problems) {
  Section section{value, std::move(pointer), problems};
  FilterRule rule;
  rule.field = section.reader.text("field").value_or("");
  if (rule.field.empty() && value.is_object() && section.reader.member("field") == nullptr)
    section.reader.problem("field", "missing", "a rule needs the field it looks at", "write field: severity");
  rule.how = read_operator(section);
  if (const json::value* given = section.find("value")) rule.value = *given;
  if (const json::value* values = section.reader.member("values")) {
    if (values->is_array()) {
      rule.values.assign(values->get_array().begin(), values->get_array().end());
    } else {
      section.reader.problem("values", "wrong-type", "values is not a list", "write values: [high, critical]");
    }
  }
  read_pattern(section, rule);
  section.reader.finish();
  return rule;
}

RuleFilter read_rule_filter(const json::value& value, PipelineProblems& problems) {
  Section section{value, "/filter/rule", problems};
  RuleFilter filter;
  filter.is_any = section.reader.word("mode", mode_words).value_or(0) == 1;
  const json::value* rules = section.reader.member("rules");
  if (rules == nullptr || !rules->is_array()) {
    section.reader.problem("rules", "missing", "a rule filter needs a list of rules",
                           "write rules: [{field: …, operator: equals, value: …}]");
  } else {
    for (std::size_t i = 0; i < rules->get_array().size(); ++i)
      filter.rules.push_back(
          read_rule(rules->get_array()[i], element_pointer(section.reader.pointer("rules"), i), problems));
  }
  section.reader.finish();
  return filter;
}

AiFilter read_ai_filter(const json::value& value, PipelineProblems& problems) {
  Section section{value, "/filter/ai", problems};
  AiFilter filter;
  filter.asking = read_asking(section, {.name = "filter.ai", .beginning = "Pipeline config", .condition = ""});
  if (!filter.asking.timeout) filter.asking.timeout = filter_timeout;
  filter.parallel = integer_within(section.reader, "parallel", 1, parallel_max).value_or(filter.parallel);
  section.reader.finish();
  return filter;
}

}  // namespace

Filter read_filter(const json::value& value, PipelineProblems& problems) {
  Section section{value, "/filter", problems};
  Filter filter;
  const json::value* type = section.find("type");
  const json::value* rule = section.find("rule");
  const json::value* ai = section.find("ai");
  if (section.reader.word("combineMode", combination_words).value_or(0) == 1)
    filter.combination = Filter::Combination::either;
  section.reader.finish();

  const std::string word = shown_member(type);
  const bool wants_rule = word == "rule" || word == "hybrid";
  const bool wants_ai = word == "ai" || word == "hybrid";
  if (!wants_rule && !wants_ai) {
    note_filter(section, type == nullptr ? "" : "type", "invalid-word", fmt::format("Unknown filter type: {}", word));
  } else if (word == "hybrid" && (!is_truthy(rule) || !is_truthy(ai))) {
    note_filter(section, "", "missing", "Hybrid filter requires both \"rule\" and \"ai\" configuration");
  } else if (wants_rule && !is_truthy(rule)) {
    note_filter(section, "", "missing", "Rule filter requires \"rule\" configuration");
  } else if (wants_ai && !is_truthy(ai)) {
    note_filter(section, "", "missing", "AI filter requires \"ai\" configuration");
  } else {
    if (wants_rule) filter.rule = read_rule_filter(*rule, problems);
    if (wants_ai) filter.ai = read_ai_filter(*ai, problems);
  }
  return filter;
}

}  // namespace carillon::pipeline
