#pragma once

#include "executors/pipeline/provider.hpp"
#include "pipeline/mock_answers.hpp"

#include <utility>

namespace carillon::pipeline {

/// Answers by a table, so that a pipeline can be tried out without a key and tested without a network. Errors of the
/// table fail the question for good; delays are waited for, within the time-out.
class MockProvider final : public Provider {
 public:
  explicit MockProvider(MockAnswers answers) : answers_{std::move(answers)} {}

  [[nodiscard]] ProviderResult ask(const Question& question, Duration timeout, const std::stop_token& stop) override;

 private:
  const MockAnswers answers_;
};

}  // namespace carillon::pipeline
