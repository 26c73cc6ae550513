#include "executors/pipeline/asker.hpp"

#include "base/utf8.hpp"
#include "executors/pipeline/interruptible_wait.hpp"

#include <algorithm>

namespace carillon::pipeline {
namespace {

constexpr std::size_t failure_message_size_max = 2'000;
constexpr int delay_doubling_count_max = 6;

ProviderResult cancelled() { return std::unexpected(ProviderFailure{.message = "cancelled", .is_cancelled = true}); }

/// What journals and results can hold.
ProviderResult with_text_checked(ProviderResult result) {
  if (!result) {
    if (find_malformed_utf8(result.error().message))
      result.error().message = "the provider failed without a readable message";
    result.error().message = shortened(std::move(result.error().message), failure_message_size_max);
    return result;
  }
  if (!find_malformed_utf8(result->text)) return result;
  return std::unexpected(
      ProviderFailure{.kind = FailureClass::answer, .message = "the answer is not UTF-8", .usage = result->usage});
}

}  // namespace

Estimate estimate_of(const NamedProvider& provider, std::string_view prompt, std::string_view model) {
  const auto input = static_cast<std::int64_t>(estimated_tokens(prompt));
  const Usage usage{.input_tokens = input, .output_tokens = expected_answer_tokens};
  return {.tokens = input + expected_answer_tokens, .cost = cost_of(provider.terms.prices, model, usage)};
}

Result<ProviderResult> Asker::ask(NamedProvider& provider, const QuestionKey& key, const Question& question,
                                  Duration timeout, const std::stop_token& stop) {
  if (auto known = TRY(journal_.find(key))) {
    ++reused_count_;
    return ProviderResult{std::move(known->answer)};
  }
  bool has_timed_out = false;
  int refusals = 0;
  for (int tries = 1;;) {
    ProviderResult result = TRY(ask_once(provider, key, question, has_timed_out ? 2 * timeout : timeout, stop));
    if (result || result.error().is_cancelled || stop.stop_requested()) return result;
    const ProviderFailure& failure = result.error();
    if (failure.is_rate_limit) {
      // The gate waits for as long as the provider wants.
      if (++refusals > rules_.refusal_count_max) return result;
      continue;
    }
    if (failure.is_timeout) {
      if (has_timed_out) return result;
      has_timed_out = true;
      continue;
    }
    if (failure.kind != FailureClass::transient || tries >= rules_.try_count_max) return result;
    wait_for(failure.retry_after.value_or(rules_.retry_delay * (1 << std::min(tries - 1, delay_doubling_count_max))),
             stop);
    ++tries;
  }
}

Result<ProviderResult> Asker::ask_once(NamedProvider& provider, const QuestionKey& key, const Question& question,
                                       Duration timeout, const std::stop_token& stop) {
  const Estimate estimate = estimate_of(provider, question.prompt, question.model);
  const auto slot = provider.gate->enter(estimate.tokens, stop);
  if (!slot) return cancelled();
  auto ready = spending_.reserve(estimate);
  if (ready) {
    ready = journal_.write_asked(key);
    if (!ready) spending_.release(estimate);
  }
  if (!ready) {
    provider.gate->leave(*slot);
    return std::unexpected(ready.error());
  }
  ProviderResult result = with_text_checked(provider.provider->ask(question, timeout, stop));
  provider.gate->leave(*slot, result);
  const Usage& usage = result ? result->usage : result.error().usage;
  const auto cost = cost_of(provider.terms.prices, question.model, usage);
  spending_.settle(estimate, usage, cost);
  if (result)
    TRY(journal_.write_answered({.key = key, .answer = *result, .cost = cost}));
  else if (!result.error().is_cancelled)
    TRY(journal_.write_failed({.key = key, .kind = result.error().kind, .message = result.error().message}));
  return result;
}

}  // namespace carillon::pipeline
