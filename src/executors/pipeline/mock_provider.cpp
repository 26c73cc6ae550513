#include "executors/pipeline/mock_provider.hpp"

#include "base/duration_text.hpp"
#include "executors/pipeline/interruptible_wait.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::pipeline {

ProviderResult MockProvider::ask(const Question& question, Duration timeout, const std::stop_token& stop) {
  MockAnswer answer = answers_.find(question.prompt);
  if (answer.delay > Duration::zero()) wait_for(std::min(answer.delay, timeout), stop);
  if (stop.stop_requested()) return std::unexpected(ProviderFailure{.message = "cancelled", .is_cancelled = true});
  if (answer.delay > timeout)
    return std::unexpected(
        ProviderFailure{.message = fmt::format("no answer within {}", carillon::to_text(timeout)), .is_timeout = true});
  if (answer.error)
    return std::unexpected(ProviderFailure{.kind = FailureClass::permanent, .message = *std::move(answer.error)});
  const Usage usage{.input_tokens = static_cast<std::int64_t>(estimated_tokens(question.prompt)),
                    .output_tokens = static_cast<std::int64_t>(estimated_tokens(answer.text))};
  return ProviderAnswer{.text = std::move(answer.text), .usage = usage};
}

}  // namespace carillon::pipeline
