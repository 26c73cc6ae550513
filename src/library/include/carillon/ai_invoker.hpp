#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace carillon {

/// What a pipeline asks the host program's AI.
struct AiQuestion {
  std::string prompt;                 // complete: templates are filled, skills put before it
  std::string model{};                // empty: the host's own choice
  std::vector<std::string> fields{};  // the prompt asks for JSON with these; empty: any text is an answer
  bool is_batch = false;              // the answer is a list of such objects, one for each item of the prompt
  /// How long the answer may take. The invoker keeps to it by itself: a call cannot be ended from outside. A question
  /// that has failed for this reason is asked once more with twice the time.
  std::chrono::microseconds timeout{};
  /// A stop is requested when the run is cancelled, and when the scheduler stops and does not wait any
  /// longer.
  std::stop_token stop{};
};

/// What the AI answered, or why it did not. `return {.response = text};` is an answer.
struct AiAnswer {
  /// What a failure means for the questions that follow.
  enum class Failure {
    transient,  // connection, overload: the same question may succeed later, and is asked again
    busy,       // too many questions: `retry_after` is waited for, and no try is counted
    timed_out,  // there was no answer within `AiQuestion::timeout`
    permanent,  // this question will always be refused: its item fails
    hopeless,   // so will every other one, as with a wrong key: the run fails at once
  };

  std::string response{};
  std::optional<std::string> error{};  // if set, there is no answer, for this reason
  Failure failure = Failure::transient;
  std::optional<std::chrono::microseconds> retry_after{};
  std::optional<std::int64_t> input_tokens{};  // none: not known, which is not zero
  std::optional<std::int64_t> output_tokens{};

  [[nodiscard]] static AiAnswer failed(std::string why, Failure failure = Failure::transient,
                                       std::optional<std::chrono::microseconds> retry_after = {}) {
    return {.error = std::move(why), .failure = failure, .retry_after = retry_after};
  }
};

/// Answers one question. Called for several questions at the same time, on threads of the scheduler that may be kept
/// waiting. An exception that leaves it is a transient failure with its text. Must neither start, stop nor destroy the
/// scheduler.
using AiInvoker = std::function<AiAnswer(const AiQuestion& question)>;

}  // namespace carillon
