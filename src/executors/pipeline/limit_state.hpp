#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace carillon::pipeline {

/// What a provider may be asked at most, by all runs of this server together. Any minute counts, not those of the
/// clock.
struct ProviderLimits {
  std::int64_t concurrency = 8;
  std::optional<std::int64_t> requests_per_minute{};
  std::optional<std::int64_t> tokens_per_minute{};
  friend bool operator==(const ProviderLimits&, const ProviderLimits&) = default;
};

/// A question that may be sent: to be given back when it has ended.
struct QuestionSlot {
  std::uint64_t number = 0;
};

/// Decides when a provider may be asked. Times are since boot and never go back.
///
/// A provider that asks for fewer questions gets none until its time is over, and then half as many at once; with every
/// round of questions that succeeds it gets one more. Questions that were under way when it first said so do not halve
/// again.
class LimitState {
 public:
  explicit LimitState(const ProviderLimits& limits);

  struct Wait {
    std::optional<Duration> until{};  // none: until a slot is given back
  };
  struct Decision {
    std::optional<QuestionSlot> slot{};  // if it may be sent now
    Wait wait{};                         // else
  };
  /// Whether a question of about so many tokens may be sent now. One that alone exceeds the tokens of a minute may,
  /// when there was no other for a minute.
  [[nodiscard]] Decision take(Duration now, std::int64_t tokens);

  /// It has ended; `tokens` is what it really took, if that is known.
  void give_back_success(const QuestionSlot& slot, std::optional<std::int64_t> tokens);
  void give_back_failure(const QuestionSlot& slot);
  /// It has ended because the provider asks for fewer; `wait` is for how long, if it said.
  void give_back_refused(const QuestionSlot& slot, Duration now, std::optional<Duration> wait);

  /// How many may be sent at once just now.
  [[nodiscard]] std::int64_t concurrency() const { return concurrency_; }
  [[nodiscard]] std::optional<Duration> paused_until() const { return paused_until_; }

 private:
  struct Sent {
    std::uint64_t number = 0;
    Duration at{};
    std::int64_t tokens = 0;
  };
  void forget_before(Duration time);
  [[nodiscard]] std::optional<Duration> room_at(Duration now, std::int64_t tokens) const;

  ProviderLimits limits_;
  std::int64_t concurrency_;
  std::int64_t active_ = 0;
  std::int64_t successes_ = 0;  // since the concurrency last changed
  std::uint64_t last_number_ = 0;
  std::uint64_t halved_at_ = 0;  // questions up to this one were sent before the concurrency was halved
  int refusals_ = 0;             // without a success between
  std::optional<Duration> paused_until_;
  std::deque<Sent> sent_;  // of the last minute
  std::int64_t sent_tokens_ = 0;
};

}  // namespace carillon::pipeline
