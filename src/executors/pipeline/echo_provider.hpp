#pragma once

#include "executors/pipeline/provider.hpp"

namespace carillon::pipeline {

/// Answers at once, without asking anybody: with the question itself, or, where fields are wanted, with an object whose
/// fields hold the question's first words. For demonstrations. Batches it cannot answer.
class EchoProvider final : public Provider {
 public:
  [[nodiscard]] ProviderResult ask(const Question& question, Duration timeout, const std::stop_token& stop) override;
};

}  // namespace carillon::pipeline
