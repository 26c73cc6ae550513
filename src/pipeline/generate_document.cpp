#include "pipeline/document_parts.hpp"
#include "pipeline/javascript.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::string_view needs_approval =
    "Pipelines with \"generate\" input require interactive approval. Use the Pipeline Preview to generate and approve "
    "items first, or set \"autoApprove: true\" in the generate config.";

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !is_letter(text.front())) return false;
  for (const char c : text)
    if (!is_letter(c) && (c < '0' || c > '9')) return false;
  return true;
}

void check_schema_field(const json::value& field, std::size_t index, std::vector<std::string>& faults) {
  const auto* name = field.if_string();
  if (name == nullptr) {
    faults.push_back(fmt::format("Schema field at index {} must be a string", index));
  } else if (trimmed(*name).empty()) {
    faults.push_back(fmt::format("Schema field at index {} cannot be empty", index));
  } else if (!is_identifier(*name)) {
    faults.push_back(fmt::format(
        "Schema field \"{}\" must be a valid identifier (letters, numbers, underscore, not starting with number)",
        std::string_view{*name}));
  }
}

void check_schema(const json::array& schema, std::vector<std::string>& faults) {
  if (schema.empty()) faults.emplace_back("Generate config \"schema\" must have at least one field");
  for (std::size_t i = 0; i < schema.size(); ++i) check_schema_field(schema[i], i, faults);
  std::set<std::string> seen;
  for (const json::value& field : schema)
    if (!seen.insert(string_of(field)).second)
      faults.push_back(fmt::format("Duplicate schema field: \"{}\"", string_of(field)));
}

/// What is wrong with the block, all in one message, as the original executor said it.
std::vector<std::string> faults_of(std::string_view prompt, const json::array& schema, const json::value* approval) {
  std::vector<std::string> faults;
  if (prompt.empty()) {
    faults.emplace_back("Generate config requires a \"prompt\" string");
  } else if (trimmed(prompt).empty()) {
    faults.emplace_back("Generate config \"prompt\" cannot be empty");
  }
  if (approval != nullptr && !approval->is_bool())
    faults.emplace_back("Generate config \"autoApprove\" must be a boolean if provided");
  check_schema(schema, faults);
  return faults;
}

}  // namespace

GeneratedSource read_generated(const json::value& value, PipelineProblems& problems) {
  Section section{value, "/input/generate", problems};
  GeneratedSource source;
  const json::value* prompt = section.find("prompt");
  const json::value* schema = section.find("schema");
  const json::value* approval = section.find("autoApprove");
  source.model = section.reader.text("model").value_or("");
  if (const auto provider = section.reader.text("provider")) source.provider = std::string{*provider};
  section.reader.finish();
  if (prompt == nullptr || !prompt->is_string() || schema == nullptr || !schema->is_array()) {
    section.fault("", "wrong-type", "Invalid generate configuration", "write {prompt: …, schema: [field, …]}");
    return source;
  }
  source.prompt = prompt->get_string();
  if (const auto faults = faults_of(source.prompt, schema->get_array(), approval); !faults.empty()) {
    section.fault("", "invalid-generate", fmt::format("Invalid generate configuration: {}", fmt::join(faults, "; ")));
    return source;
  }
  for (const json::value& field : schema->get_array()) source.schema.emplace_back(field.get_string());
  source.is_approved = approval != nullptr && approval->get_bool();
  if (!source.is_approved)
    section.fault("", "not-approved", std::string{needs_approval}, "nobody watches a scheduled run");
  return source;
}

}  // namespace carillon::pipeline
