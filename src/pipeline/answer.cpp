#include "pipeline/answer.hpp"

#include "pipeline/javascript.hpp"
#include "pipeline/json_repair.hpp"
#include "pipeline/json_text.hpp"
#include "pipeline/prompt_template.hpp"
#include "pipeline/prose.hpp"

#include <boost/json/array.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::size_t shown_characters = 100;

Result<json::value> parse_or_repair(std::string_view text) {
  if (auto parsed = parse_answer_json(text)) return parsed;
  if (auto parsed = parse_answer_json(repaired_json(text))) return parsed;
  return fail(ErrorCode::invalid_argument, "Invalid JSON in AI response: {}...",
              first_characters(text, shown_characters));
}

/// `[{field: a, value: 1}, {key: b, value: 2}]` as one object; none if no element has that form.
std::optional<json::object> object_of_pairs(const json::array& list) {
  std::optional<json::object> object;
  for (const json::value& element : list) {
    const json::object* pair = element.if_object();
    if (pair == nullptr || !pair->contains("value")) continue;
    const json::value* name = pair->contains("field") ? pair->if_contains("field") : pair->if_contains("key");
    if (name == nullptr) continue;
    if (!object) object.emplace();
    (*object)[string_of(*name)] = pair->at("value");
  }
  return object;
}

Result<json::object> object_in(json::value parsed) {
  if (auto* object = parsed.if_object()) return std::move(*object);
  const json::array& list = parsed.get_array();
  if (list.size() == 1 && list.front().is_object()) return list.front().get_object();
  if (list.size() == 1 && list.front().is_array()) return json::object{};
  if (auto object = object_of_pairs(list)) return *std::move(object);
  return fail(ErrorCode::invalid_argument, "AI returned array instead of object");
}

const json::value* find_without_case(const json::object& object, std::string_view field) {
  if (const json::value* value = object.if_contains(field)) return value;
  const std::string wanted = lower_case(field);
  for (const auto& member : object)
    if (lower_case(member.key()) == wanted) return &member.value();
  return nullptr;
}

/// The fields as they are; a missing one is null.
json::object chosen_fields(const json::value& value, std::span<const std::string> fields) {
  json::object chosen;
  const json::object* object = value.if_object();
  for (const std::string& field : fields) {
    const json::value* found = object == nullptr ? nullptr : object->if_contains(field);
    chosen[field] = found == nullptr ? json::value(nullptr) : *found;
  }
  return chosen;
}

/// From the first opening to the last closing bracket.
std::optional<std::string_view> span_of(std::string_view answer, char open, char close) {
  const std::size_t begin = answer.find(open);
  const std::size_t end = answer.rfind(close);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  return answer.substr(begin, end - begin + 1);
}

std::string_view type_of(const json::value& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "boolean";
  return value.is_number() ? "number" : "object";
}

Item generated_item(const json::value& element, std::span<const std::string> schema) {
  Item item = chosen_fields(element, schema);
  for (auto& field : item) field.value() = prompt_text(field.value());
  return item;
}

}  // namespace

Result<json::object> read_answer(std::string_view answer, std::span<const std::string> fields, bool is_lenient) {
  const auto text = json_in_answer(answer);
  if (!text) {
    if (is_lenient)
      if (auto guessed = fields_in_prose(answer, fields)) return *std::move(guessed);
    return fail(ErrorCode::invalid_argument, "No JSON found in AI response");
  }
  const json::object object = TRY(object_in(TRY(parse_or_repair(*text))));
  json::object output;
  for (const std::string& field : fields) {
    const json::value* value = find_without_case(object, field);
    if (value == nullptr) {
      output[field] = nullptr;
    } else {
      output[field] = is_lenient ? converted(*value) : *value;
    }
  }
  return output;
}

Result<std::vector<Result<json::object>>> read_batch_answer(std::string_view answer,
                                                            std::span<const std::string> fields, std::size_t count) {
  const auto text = span_of(answer, '[', ']');
  if (!text)
    return fail(ErrorCode::invalid_argument, "Failed to parse batch response: Response does not contain a JSON array");
  const auto parsed = parse_answer_json(*text);
  if (!parsed) return fail(ErrorCode::invalid_argument, "Failed to parse batch response: {}", parsed.error().message);
  const json::array& list = parsed->get_array();
  if (list.size() != count)
    return fail(ErrorCode::invalid_argument, "AI returned {} results but batch has {} items", list.size(), count);
  std::vector<Result<json::object>> outputs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_structured()) {
      outputs.emplace_back(chosen_fields(list[i], fields));
    } else {
      outputs.emplace_back(fail(ErrorCode::invalid_argument, "Result at index {} is not an object", i));
    }
  }
  return outputs;
}

Result<json::object> read_job_answer(std::string_view answer, std::span<const std::string> fields) {
  const auto text = span_of(answer, '{', '}');
  if (!text) return fail(ErrorCode::invalid_argument, "Response does not contain a JSON object");
  return chosen_fields(TRY(parse_answer_json(*text)), fields);
}

Result<std::vector<Item>> read_generated_items(std::string_view answer, std::span<const std::string> schema) {
  const auto text = json_in_answer(answer);
  if (!text)
    return fail(ErrorCode::invalid_argument, "AI response does not contain valid JSON. Expected a JSON array.");
  const auto parsed = parse_answer_json(*text);
  if (!parsed)
    return fail(ErrorCode::invalid_argument, "Failed to parse JSON from AI response: {}", parsed.error().message);
  if (!parsed->is_array())
    return fail(ErrorCode::invalid_argument, "AI response is not an array. Got: {}", type_of(*parsed));
  std::vector<Item> items;
  for (const json::value& element : parsed->get_array()) {
    if (!element.is_structured())
      return fail(ErrorCode::invalid_argument, "Item at index {} is not an object. Got: {}", items.size(),
                  type_of(element));
    items.push_back(generated_item(element, schema));
  }
  return items;
}

}  // namespace carillon::pipeline
