#pragma once

#include "base/instant.hpp"
#include "definitions/words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// How a schedule behaves. The defaults are those of a document that says nothing.
struct Policies {
  /// For occurrences that are later than `grace`.
  struct Catchup {
    CatchupPolicy policy = CatchupPolicy::latest;
    std::optional<Duration> window;  // how late one may start at all; none = any
    Duration grace = std::chrono::seconds{60};
    std::int64_t run_count_max = 1000;  // per gap
    friend bool operator==(const Catchup&, const Catchup&) = default;
  };

  struct Retry {
    std::int64_t attempt_count_max = 4;
    Backoff backoff = Backoff::exponential;
    Duration initial = std::chrono::minutes{1};
    double factor = 2;                  // of exponential back-off, to three decimals
    std::optional<Duration> delay_max;  // none = 10 × initial
    double jitter = 0;                  // up to this share of a delay is added, 0 to 1, to three decimals
    std::optional<bool> on_lost;        // none = by action: see retries_when_lost
    std::int64_t lost_max = 3;          // lost so often in a row it is a dead letter
    friend bool operator==(const Retry&, const Retry&) = default;
  };

  struct Pause {
    PauseMissed missed = PauseMissed::skip;
    friend bool operator==(const Pause&, const Pause&) = default;
  };

  /// How long run details and logs are kept.
  struct Keep {
    std::int64_t runs = 50;
    std::int64_t days = 30;
    friend bool operator==(const Keep&, const Keep&) = default;
  };

  /// At most `limit` runs with this key at a time, of all schedules and jobs of a queue.
  struct Concurrency {
    std::string key;
    std::int64_t limit = 1;
    friend bool operator==(const Concurrency&, const Concurrency&) = default;
  };

  OverlapPolicy overlap = OverlapPolicy::skip;
  std::int64_t buffer_limit = 1000;
  Catchup catchup;
  Retry retry;
  std::optional<Duration> timeout;            // per attempt
  Duration grace = std::chrono::seconds{10};  // between terminate and kill
  std::optional<Duration> start_deadline;     // none = by action: see start_deadline_of
  std::int64_t total_repeats = 0;             // 0 = no limit
  std::optional<std::int64_t> starts_max{};   // automatic starts; none = no limit, 0 = by hand only
  std::int64_t consecutive_failures_max = 0;  // 0 = never dead
  bool pause_on_failure = false;
  Pause pause;
  Keep keep;
  std::vector<std::string> tags;           // that a worker must have to perform its runs; sorted, each once
  std::optional<Concurrency> concurrency;  // none = no limit
  friend bool operator==(const Policies&, const Policies&) = default;
};

// What a document may say. The lower bounds keep a policy from meaning nothing at all.
inline constexpr std::int64_t buffer_limit_max = 100'000;
inline constexpr std::int64_t catchup_runs_max = 100'000;
inline constexpr std::int64_t attempts_max = 1'000;
inline constexpr std::int64_t lost_limit_max = 100;
inline constexpr double retry_factor_max = 1'000;
inline constexpr std::int64_t total_repeats_max = 1'000'000'000;
inline constexpr std::int64_t starts_limit_max = 1'000'000'000;
inline constexpr std::int64_t consecutive_failures_limit_max = 1'000'000;
inline constexpr std::int64_t kept_runs_max = 100'000;
inline constexpr std::int64_t kept_days_max = 36'500;
inline constexpr std::size_t tag_count_max = 20;
inline constexpr std::size_t concurrency_key_length_max = 200;
inline constexpr std::int64_t concurrency_limit_max = 10'000;
inline constexpr Duration timeout_min = std::chrono::milliseconds{1};
inline constexpr Duration grace_max = std::chrono::days{1};

/// A grace or window below this is raised to it: so late may a healthy loop be, which reads its clock once a second.
/// With less, occurrences would be missed though nothing is wrong.
inline constexpr Duration catchup_lateness_min = std::chrono::seconds{1};

/// How late an occurrence may start at all; none = any.
[[nodiscard]] inline std::optional<Duration> window_of(const Policies::Catchup& catchup) {
  if (!catchup.window) return std::nullopt;
  return std::max(*catchup.window, catchup_lateness_min);
}
/// How late it may be decided and still be in time: never later than it may start.
[[nodiscard]] inline Duration grace_of(const Policies::Catchup& catchup) {
  const Duration grace = std::max(catchup.grace, catchup_lateness_min);
  return catchup.window ? std::min(grace, *window_of(catchup)) : grace;
}

/// The longest delay between attempts.
[[nodiscard]] inline Duration delay_max_of(const Policies::Retry& retry) {
  return retry.delay_max.value_or(10 * retry.initial);
}

}  // namespace carillon
