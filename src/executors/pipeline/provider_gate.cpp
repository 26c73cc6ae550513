#include "executors/pipeline/provider_gate.hpp"

#include <algorithm>

namespace carillon::pipeline {
namespace {

/// The clock may go on while this process does not, and a question may be given back at any time: look now and then.
constexpr Duration gate_wait_max = std::chrono::seconds{1};

std::optional<std::int64_t> tokens_of(const Usage& usage) {
  if (!usage.input_tokens && !usage.output_tokens) return std::nullopt;
  return usage.input_tokens.value_or(0) + usage.output_tokens.value_or(0);
}

}  // namespace

std::optional<QuestionSlot> ProviderGate::enter(std::int64_t tokens, const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  while (!stop.stop_requested()) {
    const Duration now = clock_.since_boot();
    const LimitState::Decision decision = state_.take(now, tokens);
    if (decision.slot) return decision.slot;
    const Duration wait = decision.wait.until ? std::min(*decision.wait.until - now, gate_wait_max) : gate_wait_max;
    const std::uint64_t before = change_count_;
    changed_.wait_for(lock, stop, wait, [&] { return change_count_ != before; });
  }
  return std::nullopt;
}

void ProviderGate::leave(const QuestionSlot& slot, const ProviderResult& result) {
  {
    const std::lock_guard lock{mutex_};
    if (result)
      state_.give_back_success(slot, tokens_of(result->usage));
    else if (result.error().is_rate_limit)
      state_.give_back_refused(slot, clock_.since_boot(), result.error().retry_after);
    else
      state_.give_back_failure(slot);
    ++change_count_;
  }
  changed_.notify_all();
}

void ProviderGate::leave(const QuestionSlot& slot) {
  {
    const std::lock_guard lock{mutex_};
    state_.give_back_failure(slot);
    ++change_count_;
  }
  changed_.notify_all();
}

}  // namespace carillon::pipeline
