#pragma once

#include "base/loop_monitor.hpp"
#include "ports/query_store.hpp"
#include "ports/store_health.hpp"
#include "runtime/run_events.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// Counts durations into buckets, from several threads.
class Histogram {
 public:
  void add(Duration duration);
  /// In the text form of Prometheus.
  void append(std::string& out, std::string_view name, std::string_view help) const;

 private:
  static constexpr std::array<double, 14> bounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                 0.25,  0.5,    1,     5,    30,    300,  3600};
  std::array<std::atomic<std::int64_t>, bounds.size() + 1> counts_{};
  std::atomic<std::int64_t> sum_{};  // microseconds
};

/// What only this process knows, beside what the store counts.
struct MetricsFacts {
  std::optional<StoreFailure> store_failure;
  Duration time_since_tick{};
  std::vector<LoopMonitor::State> loops{};
  std::string version;
  std::string tzdata;
  std::int64_t http_requests = 0;
  std::int64_t http_refusals = 0;
  std::int64_t http_connections = 0;
  std::int64_t event_streams = 0;
  std::int64_t dropped_streams = 0;
  std::int64_t lock_failures = 0;
};

/// Numbers for Prometheus. Counts of schedules come from the store, which has them exact and for good; what is measured
/// in this process (lateness, durations, attempts) begins anew with it.
class Metrics final : public RunObserver {
 public:
  /// Series of their own for so many schedules; those of all together are always there.
  explicit Metrics(std::size_t schedule_count_max) : schedule_count_max_{schedule_count_max} {}

  void attempt_began(const AttemptNews& news) override;
  void attempt_ended(const AttemptNews& news) override;

  [[nodiscard]] std::string text(QueryStore& query_store, const MetricsFacts& facts, Instant now) const;

 private:
  std::size_t schedule_count_max_;
  std::array<std::atomic<std::int64_t>, 6> attempts_{};  // by AttemptOutcome
  std::atomic<std::int64_t> in_progress_{};
  Histogram lateness_;
  Histogram duration_;
};

}  // namespace carillon
