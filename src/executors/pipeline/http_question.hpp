#pragma once

#include "base/instant.hpp"
#include "executors/pipeline/provider.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace carillon::pipeline {

/// Which of the two usual ways a service speaks.
enum class HttpStyle {
  openai,     // chat completions: OpenAI, and most others beside it, Ollama and vLLM among them
  anthropic,  // messages
};

/// What is sent beside the question.
struct HttpQuestionTerms {
  HttpStyle style = HttpStyle::openai;
  bool has_schema = false;                          // the fields are enforced by the service; OpenAI style only
  std::optional<std::int64_t> output_tokens_max{};  // Anthropic style needs one and gets a default
};

/// The body of the request, JSON. Fields of a batch are never enforced: the answer is a list, which a schema of this
/// kind cannot be.
[[nodiscard]] std::string http_body_of(const Question& question, const HttpQuestionTerms& terms);

/// What came back.
struct HttpReply {
  std::int64_t status = 0;
  std::map<std::string, std::string, std::less<>> headers{};  // names in lower case
  std::string body{};
};

/// The answer in a reply, or what its failure means. `now` is for a Retry-After that is a date.
[[nodiscard]] ProviderResult read_http_reply(const HttpReply& reply, HttpStyle style, Instant now);

/// How long the headers of a reply ask to wait: `retry-after-ms`, `retry-after`, or the `x-ratelimit-reset-…` of what
/// is used up. From zero to a day; none if they do not say, or say nonsense.
[[nodiscard]] std::optional<Duration> wait_asked_for(const HttpReply& reply, Instant now);

}  // namespace carillon::pipeline
