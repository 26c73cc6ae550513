#pragma once

#include "executors/pipeline/limit_state.hpp"
#include "executors/pipeline/provider.hpp"
#include "ports/clock.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>

namespace carillon::pipeline {

/// Lets questions through to a provider no faster than its limits allow. Shared by all runs; from any thread.
class ProviderGate {
 public:
  ProviderGate(Clock& clock, const ProviderLimits& limits) : clock_{clock}, state_{limits} {}

  /// Waits until a question of about so many tokens may be sent; none if a stop was requested before.
  [[nodiscard]] std::optional<QuestionSlot> enter(std::int64_t tokens, const std::stop_token& stop);
  /// To be called once for every slot, with how it went.
  void leave(const QuestionSlot& slot, const ProviderResult& result);
  /// The question was not sent after all.
  void leave(const QuestionSlot& slot);

 private:
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  LimitState state_;                // guarded, as the next
  std::uint64_t change_count_ = 0;  // of questions that were given back
};

}  // namespace carillon::pipeline
