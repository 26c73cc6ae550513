#include "executors/pipeline/journal_line.hpp"

#include "base/crypto.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <exception>
#include <type_traits>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::int64_t journal_version = 1;
constexpr std::size_t checksum_length = 16;

std::string checksum_of(std::string_view text) { return sha256_hex(text).substr(0, checksum_length); }

json::object with_key(std::string_view kind, const QuestionKey& key) {
  return {{kind, key.digest}, {"number", key.number}};
}

json::object document_of(const JournalStart& start) {
  json::object inputs;
  for (const auto& [name, digest] : start.inputs) inputs.emplace(name, digest);
  return {{"journal", journal_version}, {"run", start.run}, {"inputs", std::move(inputs)}};
}

json::object document_of(const AskedRecord& record) { return with_key("asked", record.key); }

json::object document_of(const AnsweredRecord& record) {
  json::object document = with_key("answered", record.key);
  document.emplace("text", record.answer.text);
  if (record.answer.usage.input_tokens) document.emplace("inputTokens", *record.answer.usage.input_tokens);
  if (record.answer.usage.output_tokens) document.emplace("outputTokens", *record.answer.usage.output_tokens);
  if (record.cost) document.emplace("cost", *record.cost);
  if (record.is_reused) document.emplace("reused", true);
  return document;
}

json::object document_of(const FailedRecord& record) {
  json::object document = with_key("failed", record.key);
  document.emplace("class", to_text(record.kind));
  document.emplace("error", record.message);
  return document;
}

QuestionKey key_in(const json::object& document, std::string_view kind) {
  return {.digest = std::string{document.at(kind).as_string()},
          .number = document.at("number").to_number<std::uint64_t>()};
}

FailureClass class_in(const json::object& document) {
  for (const FailureClass kind :
       {FailureClass::transient, FailureClass::permanent, FailureClass::hopeless, FailureClass::answer}) {
    if (document.at("class").as_string() == to_text(kind)) return kind;
  }
  return FailureClass::transient;
}

std::optional<std::int64_t> count_in(const json::object& document, std::string_view name) {
  const json::value* value = document.if_contains(name);
  return value == nullptr ? std::nullopt : std::optional{value->to_number<std::int64_t>()};
}

Result<JournalRecord> start_in(const json::object& document) {
  if (document.at("journal").to_number<std::int64_t>() != journal_version)
    return fail(ErrorCode::corrupt, "the journal is of a later version");
  JournalStart start{.run = std::string{document.at("run").as_string()}, .inputs = {}};
  for (const auto& [name, digest] : document.at("inputs").as_object())
    start.inputs.emplace(std::string{name}, std::string{digest.as_string()});
  return start;
}

AnsweredRecord answer_in(const json::object& document) {
  AnsweredRecord record{.key = key_in(document, "answered"),
                        .answer = {.text = std::string{document.at("text").as_string()},
                                   .usage = {.input_tokens = count_in(document, "inputTokens"),
                                             .output_tokens = count_in(document, "outputTokens")}}};
  if (const json::value* cost = document.if_contains("cost")) record.cost = cost->to_number<double>();
  record.is_reused = document.contains("reused");
  return record;
}

Result<JournalRecord> record_in(const json::object& document) {
  if (document.contains("journal")) return start_in(document);
  if (document.contains("asked")) return AskedRecord{.key = key_in(document, "asked")};
  if (document.contains("answered")) return answer_in(document);
  return FailedRecord{.key = key_in(document, "failed"),
                      .kind = class_in(document),
                      .message = std::string{document.at("error").as_string()}};
}

}  // namespace

std::string to_line(const JournalRecord& record) {
  const std::string text = std::visit([](const auto& what) { return json::serialize(document_of(what)); }, record);
  return checksum_of(text) + ' ' + text + '\n';
}

Result<JournalRecord> parse_line(std::string_view line) {
  if (line.size() < checksum_length + 2 || line[checksum_length] != ' ')
    return fail(ErrorCode::corrupt, "it is no line of a journal");
  const std::string_view text = line.substr(checksum_length + 1);
  if (checksum_of(text) != line.substr(0, checksum_length))
    return fail(ErrorCode::corrupt, "its checksum does not fit");
  try {
    return record_in(json::parse(text).as_object());
  } catch (const std::exception&) {
    return fail(ErrorCode::corrupt, "it is written in a way that is not known");
  }
}

}  // namespace carillon::pipeline
