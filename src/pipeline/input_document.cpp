#include "definitions/members.hpp"
#include "pipeline/document_parts.hpp"
#include "pipeline/javascript.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <limits>
#include <utility>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::string_view invalid_from =
    "Invalid \"from\" configuration. Must be either a CSV source {type: \"csv\", path: \"...\"} or an inline array.";

std::vector<Item> inline_items(const json::value& value, const std::string& pointer, PipelineProblems& problems) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < value.get_array().size(); ++i) {
    const json::value& item = value.get_array()[i];
    if (item.is_object()) {
      items.push_back(item.get_object());
      continue;
    }
    problems.ours.push_back({.pointer = element_pointer(pointer, i),
                             .code = "not-an-object",
                             .message = fmt::format("item {} is not a map of fields", i + 1),
                             .hint = "write it as keys with values, like {title: \"…\"}",
                             .position = {}});
  }
  return items;
}

bool is_csv_source(const json::value& value) {
  const json::object* source = value.if_object();
  if (source == nullptr) return false;
  const json::value* type = source->if_contains("type");
  const json::value* path = source->if_contains("path");
  return type != nullptr && type->is_string() && type->get_string() == "csv" && path != nullptr && path->is_string();
}

void note_invalid_from(Section& section, const json::value& value) {
  const json::object* source = value.if_object();
  const json::value* type = source == nullptr ? nullptr : source->if_contains("type");
  const bool is_csv = type != nullptr && type->is_string() && type->get_string() == "csv";
  if (is_truthy(type) && !is_csv) {
    section.fault("from", "invalid-word",
                  fmt::format("Unsupported source type: {}. Only \"csv\" is supported.", string_of(*type)));
  } else {
    section.fault("from", "wrong-type", std::string{invalid_from}, "write from: {type: csv, path: input.csv}");
  }
}

CsvSource read_csv_source(Section& input, const json::value& value) {
  Section section{value, input.reader.pointer("from"), input.problems};
  static_cast<void>(section.find("type"));
  CsvSource source;
  source.path = section.reader.text("path").value_or("");
  if (source.path.empty()) input.fault("from", "missing", "Pipeline config missing \"input.from.path\"");
  source.delimiter = section.reader.text("delimiter").value_or(",");
  section.reader.finish();
  return source;
}

void read_from(Section& section, const json::value& value, Input& input) {
  if (value.is_array()) {
    input.source = inline_items(value, section.reader.pointer("from"), section.problems);
  } else if (is_csv_source(value)) {
    input.source = read_csv_source(section, value);
  } else {
    note_invalid_from(section, value);
  }
}

void read_items(Section& section, const json::value& value, Input& input) {
  if (value.is_array()) {
    input.source = inline_items(value, section.reader.pointer("items"), section.problems);
  } else {
    section.fault("items", "wrong-type", "Pipeline config \"input.items\" must be an array",
                  "write each item on a line of its own that begins with a dash");
  }
}

void read_source(Section& section, Input& input) {
  const json::value* items = section.find("items");
  const json::value* from = section.find("from");
  const json::value* generate = section.find("generate");
  const int count = int{is_truthy(items)} + int{is_truthy(from)} + int{is_truthy(generate)};
  if (count == 0) return section.fault("", "missing", "Input must have one of \"items\", \"from\", or \"generate\"");
  if (count > 1)
    return section.fault("", "both-given", "Input can only have one of \"items\", \"from\", or \"generate\"");
  if (is_truthy(generate)) {
    input.source = read_generated(*generate, section.problems);
  } else if (is_truthy(from)) {
    read_from(section, *from, input);
  } else {
    read_items(section, *items, input);
  }
}

std::optional<Parameter> read_parameter(const json::value& value, std::string pointer, PipelineProblems& problems) {
  const json::object* object = value.if_object();
  const json::value* name = object == nullptr ? nullptr : object->if_contains("name");
  const auto note = [&](std::string message) {
    problems.known.push_back({.pointer = pointer,
                              .code = "missing",
                              .message = std::move(message),
                              .hint = "write {name: …, value: …}",
                              .position = {}});
    return std::nullopt;
  };
  if (!is_truthy(name) || !name->is_string()) return note("Each parameter must have a \"name\" string");
  Section section{value, pointer, problems};
  static_cast<void>(section.find("name"));
  const json::value* given = section.reader.member("value");
  section.reader.finish();
  if (given == nullptr)
    return note(fmt::format("Parameter \"{}\" must have a \"value\"", std::string_view{name->get_string()}));
  return Parameter{.name = std::string{name->get_string()}, .value = *given};
}

}  // namespace

std::vector<Parameter> read_parameters(const json::value& value, std::string pointer, std::string_view name,
                                       PipelineProblems& problems) {
  if (!value.is_array()) {
    problems.known.push_back({.pointer = std::move(pointer),
                              .code = "wrong-type",
                              .message = fmt::format("Pipeline config \"{}\" must be an array", name),
                              .hint = "write [{name: …, value: …}]",
                              .position = {}});
    return {};
  }
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < value.get_array().size(); ++i)
    if (auto parameter = read_parameter(value.get_array()[i], element_pointer(pointer, i), problems))
      parameters.push_back(*std::move(parameter));
  return parameters;
}

Input read_input(const json::value& value, PipelineProblems& problems) {
  Section section{value, "/input", problems};
  Input input;
  read_source(section, input);
  if (const json::value* parameters = section.find("parameters"); is_truthy(parameters))
    input.parameters = read_parameters(*parameters, section.reader.pointer("parameters"), "input.parameters", problems);
  input.limit = integer_within(section.reader, "limit", 0, std::numeric_limits<std::int64_t>::max());
  section.reader.finish();
  return input;
}

}  // namespace carillon::pipeline
