#include "pipeline/document_parts.hpp"

#include "definitions/members.hpp"
#include "pipeline/javascript.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <limits>
#include <utility>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

std::vector<std::string> read_field_names(Section& section, const AskingPlace& place) {
  const json::value* value = section.find("output");
  if (value == nullptr) return {};
  if (!value->is_array()) {
    section.fault("output", "wrong-type",
                  fmt::format("Pipeline config \"{}.output\" must be an array if provided", place.name),
                  "write output: [severity, category]");
    return {};
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < value->get_array().size(); ++i) {
    const json::value& name = value->get_array()[i];
    if (name.is_string()) {
      names.emplace_back(name.get_string());
      continue;
    }
    section.problems.ours.push_back({.pointer = element_pointer(section.reader.pointer("output"), i),
                                     .code = "wrong-type",
                                     .message = "the name of a field is a text",
                                     .hint = "put it in quotes",
                                     .position = {}});
  }
  return names;
}

/// The text of a member that counts as given.
std::string given_text(Section& section, std::string_view key) {
  return std::string{section.reader.text(key).value_or("")};
}

Prompt read_prompt(Section& section, const AskingPlace& place) {
  const bool has_prompt = is_truthy(section.find("prompt"));
  const bool has_file = is_truthy(section.find("promptFile"));
  if (!has_prompt && !has_file)
    section.fault("", "missing",
                  fmt::format("{0} must have either \"{1}.prompt\" or \"{1}.promptFile\"{2}", place.beginning,
                              place.name, place.condition),
                  "write prompt: with what the provider is asked");
  if (has_prompt && has_file)
    section.fault(
        "promptFile", "both-given",
        fmt::format("{0} cannot have both \"{1}.prompt\" and \"{1}.promptFile\"", place.beginning, place.name),
        "leave one of them out");
  return {.is_file = has_file, .text = given_text(section, has_file ? "promptFile" : "prompt")};
}

std::optional<std::string> read_skill(Section& section, const AskingPlace& place) {
  const json::value* skill = section.find("skill");
  if (skill == nullptr) return std::nullopt;
  if (const auto* name = skill->if_string()) {
    if (name->empty()) return std::nullopt;
    return std::string{*name};
  }
  section.fault("skill", "wrong-type", fmt::format("Pipeline config \"{}.skill\" must be a string", place.name));
  return std::nullopt;
}

}  // namespace

const json::value* Section::find(std::string_view key) {
  static_cast<void>(reader.member(key));
  const json::object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

void Section::fault(std::string_view key, std::string_view code, std::string message, std::string hint) {
  problems.known.push_back({.pointer = key.empty() ? pointer : reader.pointer(key),
                            .code = code,
                            .message = std::move(message),
                            .hint = std::move(hint),
                            .position = {}});
}

std::optional<std::int64_t> positive_integer(ObjectReader& reader, std::string_view key) {
  return integer_within(reader, key, 1, std::numeric_limits<std::int32_t>::max());
}

Asking read_asking(Section& section, const AskingPlace& place) {
  Asking asking;
  asking.prompt = read_prompt(section, place);
  asking.skill = read_skill(section, place);
  asking.output = read_field_names(section, place);
  asking.model = given_text(section, "model");
  if (const auto provider = section.reader.text("provider")) asking.provider = std::string{*provider};
  if (const auto milliseconds = positive_integer(section.reader, "timeoutMs"))
    asking.timeout = std::chrono::milliseconds{*milliseconds};
  asking.is_corrected = section.reader.boolean("correct").value_or(false);
  return asking;
}

}  // namespace carillon::pipeline
