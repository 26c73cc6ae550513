#include "executors/pipeline/echo_provider.hpp"

#include "base/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace carillon::pipeline {
namespace {

constexpr std::size_t echoed_characters_max = 40;

/// The beginning of the first line.
std::string_view first_words(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  std::size_t size = 0;
  for (std::size_t i = 0; i < echoed_characters_max && size < text.size(); ++i)
    size += std::max<std::size_t>(1, utf8_length(text.substr(size)));
  return text.substr(0, size);
}

}  // namespace

ProviderResult EchoProvider::ask(const Question& question, Duration, const std::stop_token&) {
  const Usage usage{.input_tokens = static_cast<std::int64_t>(estimated_tokens(question.prompt)), .output_tokens = 1};
  if (question.is_batch)
    return std::unexpected(
        ProviderFailure{.kind = FailureClass::permanent, .message = "the echo provider cannot answer batches"});
  if (question.fields.empty()) return ProviderAnswer{.text = question.prompt, .usage = usage};
  boost::json::object fields;
  for (const std::string& field : question.fields) fields.insert_or_assign(field, first_words(question.prompt));
  return ProviderAnswer{.text = boost::json::serialize(fields), .usage = usage};
}

}  // namespace carillon::pipeline
