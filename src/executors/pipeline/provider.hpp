#pragma once

#include "base/instant.hpp"
#include "pipeline/question.hpp"

#include <cstdint>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>

namespace carillon::pipeline {

/// What a question has cost in tokens, as the provider counts them. None: it did not say, which is not zero.
struct Usage {
  std::optional<std::int64_t> input_tokens{};
  std::optional<std::int64_t> output_tokens{};
  friend bool operator==(const Usage&, const Usage&) = default;
};

/// What a failure means to the questions that follow.
enum class FailureClass {
  transient,  // connection, overload, time-out: the same question may succeed later
  permanent,  // this question will always be refused
  hopeless,   // so will every other one: a wrong key, an empty account
  answer,     // there was an answer, and it is none: cut, refused, empty, unreadable
};
[[nodiscard]] std::string_view to_text(FailureClass kind);

struct ProviderAnswer {
  std::string text;
  Usage usage{};
  friend bool operator==(const ProviderAnswer&, const ProviderAnswer&) = default;
};

struct ProviderFailure {
  FailureClass kind = FailureClass::transient;
  std::string message{};                  // for people; never shows a key
  bool is_rate_limit = false;             // the provider asks for fewer questions; nothing is wrong with this one
  bool is_timeout = false;                // no answer within the time that was given
  bool is_cancelled = false;              // the stop token ended it
  std::optional<Duration> retry_after{};  // not before this
  Usage usage{};
};

using ProviderResult = std::expected<ProviderAnswer, ProviderFailure>;

/// Somebody who answers questions: a service, a program, or a stand-in for both.
class Provider {
 public:
  virtual ~Provider() = default;

  /// Asks once and waits for the answer, for no longer than `timeout` and only until a stop is requested. Never asks
  /// again by itself: whoever calls decides about that. May be called from several threads at a time, and must not be
  /// called from one that may not block. What it returns has no secrets in it.
  [[nodiscard]] virtual ProviderResult ask(const Question& question, Duration timeout, const std::stop_token& stop) = 0;
};

}  // namespace carillon::pipeline
