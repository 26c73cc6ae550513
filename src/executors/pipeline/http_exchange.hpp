#pragma once

#include "base/instant.hpp"
#include "executors/pipeline/http_provider.hpp"
#include "executors/pipeline/http_question.hpp"

#include <expected>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace carillon::pipeline {

/// A request that is ready to be sent.
struct HttpQuestionRequest {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  Duration timeout{};
};

/// Sends a request and waits for the reply. A failure is transient unless the address may not be called, which is
/// hopeless, or the reply is larger than it may be.
[[nodiscard]] std::expected<HttpReply, ProviderFailure> exchange(const HttpQuestionRequest& request,
                                                                 const HttpProviderOptions& options,
                                                                 const std::stop_token& stop);

}  // namespace carillon::pipeline
