#include "executors/pipeline/http_provider.hpp"

#include "base/secret_mask.hpp"
#include "executors/pipeline/http_exchange.hpp"

#include <algorithm>
#include <utility>

namespace carillon::pipeline {
namespace {

HttpQuestionRequest request_of(const HttpProviderOptions& options, const Question& question, const std::string& key,
                               Duration timeout) {
  HttpQuestionRequest request{.url = options.url,
                              .headers = {{"Content-Type", "application/json"}},
                              .body = http_body_of(question, options.terms),
                              .timeout = timeout};
  if (options.terms.style == HttpStyle::anthropic) request.headers.emplace_back("anthropic-version", "2023-06-01");
  if (!key.empty() && options.terms.style == HttpStyle::anthropic)
    request.headers.emplace_back("x-api-key", key);
  else if (!key.empty())
    request.headers.emplace_back("Authorization", "Bearer " + key);
  return request;
}

ProviderResult masked(ProviderResult result, const std::vector<std::string>& secrets) {
  if (secrets.empty()) return result;
  const SecretMask mask{secrets};
  std::string& text = result ? result->text : result.error().message;
  text = mask.whole(text);
  return result;
}

bool has_line_break(std::string_view text) { return text.find_first_of("\r\n") != text.npos; }

}  // namespace

HttpProvider::HttpProvider(Clock& clock, HttpProviderOptions options) : clock_{clock}, options_{std::move(options)} {}

ProviderResult HttpProvider::ask(const Question& question, Duration timeout, const std::stop_token& stop) {
  ResolvedText key;
  if (!options_.key.empty()) {
    auto resolved = resolve_references(options_.key, options_.secrets);
    if (!resolved || has_line_break(resolved->text))
      return std::unexpected(
          ProviderFailure{.kind = FailureClass::hopeless,
                          .message = resolved ? "the provider's key has a line break" : resolved.error().message});
    key = *std::move(resolved);
  }
  auto reply = exchange(request_of(options_, question, key.text, timeout), options_, stop);
  return masked(reply ? read_http_reply(*reply, options_.terms.style, clock_.now())
                      : ProviderResult{std::unexpected(std::move(reply).error())},
                key.secrets);
}

}  // namespace carillon::pipeline
