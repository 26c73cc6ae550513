#include "library/invoker_provider.hpp"

#include "base/duration_text.hpp"
#include "library/scheduler_callback.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace carillon {
namespace {

using pipeline::FailureClass;
using pipeline::ProviderFailure;

FailureClass class_of(AiAnswer::Failure failure) {
  switch (failure) {
    case AiAnswer::Failure::permanent: return FailureClass::permanent;
    case AiAnswer::Failure::hopeless: return FailureClass::hopeless;
    case AiAnswer::Failure::transient:
    case AiAnswer::Failure::busy:
    case AiAnswer::Failure::timed_out: return FailureClass::transient;
  }
  std::unreachable();
}

}  // namespace

AiAnswer InvokerProvider::invoke(const AiQuestion& question) const {
  const SchedulerCallback mark{scheduler_};
  try {
    return invoker_(question);
  } catch (const std::exception& thrown) {
    return AiAnswer::failed(fmt::format("the invoker threw: {}", thrown.what()));
  } catch (...) {
    return AiAnswer::failed("the invoker threw something that is no std::exception");
  }
}

pipeline::ProviderResult InvokerProvider::ask(const pipeline::Question& question, Duration timeout,
                                              const std::stop_token& stop) {
  AiAnswer answer = invoke({.prompt = question.prompt,
                            .model = question.model,
                            .fields = question.fields,
                            .is_batch = question.is_batch,
                            .timeout = timeout,
                            .stop = stop});
  const pipeline::Usage usage{.input_tokens = answer.input_tokens, .output_tokens = answer.output_tokens};
  if (!answer.error) return pipeline::ProviderAnswer{.text = std::move(answer.response), .usage = usage};
  return std::unexpected(ProviderFailure{.kind = class_of(answer.failure),
                                         .message = *std::move(answer.error),
                                         .is_rate_limit = answer.failure == AiAnswer::Failure::busy,
                                         .is_timeout = answer.failure == AiAnswer::Failure::timed_out,
                                         .is_cancelled = stop.stop_requested(),
                                         .retry_after = answer.retry_after,
                                         .usage = usage});
}

}  // namespace carillon
