#pragma once

#include "executors/pipeline/provider.hpp"

#include <carillon/ai_invoker.hpp>

#include <utility>

namespace carillon {

/// Passes questions to the host program's function. It cannot be ended by force: one that keeps neither to its timeout
/// nor to its stop token keeps the thread of its question.
class InvokerProvider final : public pipeline::Provider {
 public:
  /// `scheduler` is the one that SchedulerCallback knows.
  InvokerProvider(AiInvoker invoker, const void* scheduler) : invoker_{std::move(invoker)}, scheduler_{scheduler} {}

  [[nodiscard]] pipeline::ProviderResult ask(const pipeline::Question& question, Duration timeout,
                                             const std::stop_token& stop) override;

 private:
  [[nodiscard]] AiAnswer invoke(const AiQuestion& question) const;

  const AiInvoker invoker_;
  const void* const scheduler_;
};

}  // namespace carillon
