#include "executors/pipeline/http_question.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::int64_t output_tokens_default = 4096;

/// What is asked for may be any plain value: a pipeline names its fields and not their types.
json::object schema_of(const std::vector<std::string>& fields) {
  json::object properties;
  json::array required;
  for (const std::string& field : fields) {
    properties.emplace(field, json::object{{"type", json::array{"string", "number", "boolean", "null"}}});
    required.emplace_back(field);
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

json::object response_format_of(const std::vector<std::string>& fields) {
  return {{"type", "json_schema"},
          {"json_schema", json::object{{"name", "answer"}, {"strict", true}, {"schema", schema_of(fields)}}}};
}

}  // namespace

std::string http_body_of(const Question& question, const HttpQuestionTerms& terms) {
  json::object body{{"model", question.model},
                    {"messages", json::array{json::object{{"role", "user"}, {"content", question.prompt}}}}};
  if (terms.style == HttpStyle::anthropic) {
    body.emplace("max_tokens", terms.output_tokens_max.value_or(output_tokens_default));
    return json::serialize(body);
  }
  if (terms.output_tokens_max) body.emplace("max_completion_tokens", *terms.output_tokens_max);
  if (terms.has_schema && !question.fields.empty() && !question.is_batch)
    body.emplace("response_format", response_format_of(question.fields));
  return json::serialize(body);
}

}  // namespace carillon::pipeline
