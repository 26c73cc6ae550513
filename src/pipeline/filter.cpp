#include "pipeline/filter.hpp"

#include "pipeline/javascript.hpp"
#include "pipeline/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> yes_words{"yes", "true", "include", "pass"};
constexpr std::array<std::string_view, 9> no_words{"no",      "not",  "false", "never",  "cannot",
                                                   "exclude", "fail", "t",     "neither"};  // t: of don't, can't

/// A step of a path: a member of a map, an element of a list, or the length of a list or text.
std::optional<json::value> step_into(const json::value& value, std::string_view key) {
  if (const auto* object = value.if_object()) {
    const json::value* member = object->if_contains(key);
    return member == nullptr ? std::nullopt : std::optional{*member};
  }
  const auto* list = value.if_array();
  if (key == "length" && list != nullptr) return json::value(list->size());
  if (key == "length" && value.is_string()) {
    const std::string_view text = value.get_string();
    return json::value(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (list == nullptr || error != std::errc{} || end != key.data() + key.size() || index >= list->size())
    return std::nullopt;
  return (*list)[index];
}

/// The value at a path of names divided by dots; none if something on the way is missing or null.
std::optional<json::value> value_at_path(const Item& item, std::string_view path) {
  const std::size_t dot = path.find('.');
  const json::value* first = item.if_contains(path.substr(0, dot));
  if (first == nullptr) return std::nullopt;
  std::optional<json::value> value{*first};
  for (std::size_t at = dot; value && at != std::string_view::npos;) {
    const std::size_t next = path.find('.', at + 1);
    value = step_into(*value, path.substr(at + 1, next == std::string_view::npos ? next : next - at - 1));
    at = next;
  }
  if (value && value->is_null()) return std::nullopt;
  return value;
}

bool is_among(const json::value& value, const std::vector<json::value>& values) {
  return std::ranges::any_of(values, [&](const json::value& other) { return are_identical(value, other); });
}

bool has_part(const json::value& value, const std::optional<json::value>& part) {
  const std::string wanted = part ? string_of(*part) : "undefined";
  return lower_case(string_of(value)).find(lower_case(wanted)) != std::string::npos;
}

double number_to_compare(const std::optional<json::value>& value) {
  return value ? number_of(*value) : number_of(json::object{});
}

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (is_word_byte(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(lower_case(std::exchange(word, {})));
    }
  }
  if (!word.empty()) words.push_back(lower_case(word));
  return words;
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool says_yes(std::string_view answer, bool is_lenient) {
  const std::vector<std::string> words = words_in(answer);
  const auto is_yes = [](const std::string& word) { return is_one_of(yes_words, word); };
  const auto is_no = [](const std::string& word) { return is_one_of(no_words, word); };
  if (!std::ranges::any_of(words, is_yes)) return false;
  return is_lenient || is_yes(words.front()) || std::ranges::none_of(words, is_no);
}

}  // namespace

Result<CompiledRules> CompiledRules::compile(const RuleFilter& filter) {
  CompiledRules compiled;
  compiled.is_any_ = filter.is_any;
  for (const FilterRule& rule : filter.rules) {
    std::optional<Pattern> pattern;
    if (rule.how == FilterOperator::matches) {
      if (rule.pattern.empty()) return fail(ErrorCode::invalid_argument, "matches operator requires pattern");
      pattern = TRY(Pattern::compile(rule.pattern));
    }
    compiled.rules_.push_back({.rule = rule, .pattern = std::move(pattern)});
  }
  return compiled;
}

Result<bool> CompiledRules::holds(const Rule& compiled, const Item& item) {
  const FilterRule& rule = compiled.rule;
  const auto value = value_at_path(item, rule.field);
  if (!value) return false;
  switch (rule.how) {
    case FilterOperator::equals: return rule.value && are_identical(*value, *rule.value);
    case FilterOperator::not_equals: return !rule.value || !are_identical(*value, *rule.value);
    case FilterOperator::in: return is_among(*value, rule.values);
    case FilterOperator::not_in: return !is_among(*value, rule.values);
    case FilterOperator::contains: return has_part(*value, rule.value);
    case FilterOperator::not_contains: return !has_part(*value, rule.value);
    case FilterOperator::greater_than: return number_of(*value) > number_to_compare(rule.value);
    case FilterOperator::less_than: return number_of(*value) < number_to_compare(rule.value);
    case FilterOperator::gte: return number_of(*value) >= number_to_compare(rule.value);
    case FilterOperator::lte: return number_of(*value) <= number_to_compare(rule.value);
    case FilterOperator::matches: return compiled.pattern->occurs_in(string_of(*value));
  }
  return false;
}

Result<bool> CompiledRules::keep(const Item& item) const {
  for (const Rule& rule : rules_)
    if (TRY(holds(rule, item)) == is_any_) return is_any_;
  return !is_any_;
}

Result<bool> keeps(const RuleFilter& filter, const Item& item) {
  const auto compiled = TRY(CompiledRules::compile(filter));
  return compiled.keep(item);
}

bool is_kept_by(const AiFilter& filter, std::string_view answer, bool is_lenient) {
  if (filter.asking.output.empty()) return says_yes(answer, is_lenient);
  const auto parsed = parse_answer_json(answer);
  const json::object* object = parsed ? parsed->if_object() : nullptr;
  const json::value* include = object == nullptr ? nullptr : object->if_contains("include");
  return include != nullptr && include->is_bool() && include->get_bool();
}

}  // namespace carillon::pipeline
