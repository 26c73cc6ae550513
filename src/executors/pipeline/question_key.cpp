#include "executors/pipeline/question_key.hpp"

#include "base/crypto.hpp"

#include <cstring>

namespace carillon::pipeline {
namespace {

/// With its length in front, so that no two lists of texts are the same bytes.
void append_part(std::string& bytes, std::string_view part) {
  bytes += std::to_string(part.size());
  bytes += ':';
  bytes += part;
}

}  // namespace

QuestionKey QuestionKeys::key_of(std::string_view provider, const Question& question) {
  std::string bytes;
  append_part(bytes, provider);
  append_part(bytes, question.model);
  append_part(bytes, question.is_batch ? "batch" : "single");
  append_part(bytes, std::to_string(question.fields.size()));
  for (const std::string& field : question.fields) append_part(bytes, field);
  append_part(bytes, question.prompt);
  const std::string digest = sha256(bytes);
  std::uint64_t beginning = 0;
  std::memcpy(&beginning, digest.data(), sizeof beginning);
  return {.digest = to_hex(digest), .number = counts_[beginning]++};
}

}  // namespace carillon::pipeline
