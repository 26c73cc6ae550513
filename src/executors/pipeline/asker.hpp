#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "executors/pipeline/journal.hpp"
#include "executors/pipeline/providers.hpp"
#include "executors/pipeline/spending.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string_view>

namespace carillon::pipeline {

/// How many tokens an answer is taken to have until it is known.
inline constexpr std::int64_t expected_answer_tokens = 256;
/// What a question is expected to take.
[[nodiscard]] Estimate estimate_of(const NamedProvider& provider, std::string_view prompt, std::string_view model);

/// How often a question is sent before it counts as failed. A question that the provider did not take because it gets
/// too many is sent again without counting, as often as `refusal_count_max`; one that was not answered in time is sent
/// once more with twice the time.
struct AskingRules {
  int try_count_max = 3;                           // of transient failures
  int refusal_count_max = 1'000;                   // "too many requests"
  Duration retry_delay = std::chrono::seconds{1};  // then twice as long, unless the provider says
};

/// Gets the answers of one attempt: from the journal if they are there, else from the provider, within limits and
/// budget, and written down. From any thread.
class Asker {
 public:
  Asker(Journal& journal, Spending& spending, const AskingRules& rules = {})
      : journal_{journal}, spending_{spending}, rules_{rules} {}

  /// Waits for the answer to a question that names its model. An inner failure is that of the question; an error ends
  /// the run: the journal cannot be written, or the budget is used up. After a stop it returns soon, with a failure
  /// that says so unless the answer was there.
  [[nodiscard]] Result<ProviderResult> ask(NamedProvider& provider, const QuestionKey& key, const Question& question,
                                           Duration timeout, const std::stop_token& stop);

  /// How many answers came from the journal.
  [[nodiscard]] std::size_t reused_count() const { return reused_count_; }

 private:
  [[nodiscard]] Result<ProviderResult> ask_once(NamedProvider& provider, const QuestionKey& key,
                                                const Question& question, Duration timeout,
                                                const std::stop_token& stop);

  Journal& journal_;
  Spending& spending_;
  const AskingRules rules_;
  std::atomic<std::size_t> reused_count_ = 0;
};

}  // namespace carillon::pipeline
