#pragma once

#include "base/error.hpp"
#include "executors/pipeline/journal.hpp"
#include "executors/pipeline/provider.hpp"
#include "pipeline/pipeline.hpp"

#include <cstdint>
#include <mutex>
#include <optional>

namespace carillon::pipeline {

/// What a question is expected to take, before it is asked.
struct Estimate {
  std::int64_t tokens = 0;
  std::optional<double> cost{};  // none: its model has no price
};

/// Keeps a run within its budget, over all of its attempts. What questions under way are expected to take counts as
/// spent until it is known, and stays so if the provider never says. From any thread.
class Spending {
 public:
  Spending(const Budget& budget, const JournalTotals& earlier);

  /// Sets aside what a question is expected to take. An error, rule "budget", names the bound that it would exceed.
  [[nodiscard]] Result<> reserve(const Estimate& estimate);
  /// The question has been answered.
  void settle(const Estimate& estimate, const Usage& usage, std::optional<double> cost);
  /// The question was not sent after all.
  void release(const Estimate& estimate);

  /// What the run has spent, as far as providers have told; calls are all that were sent.
  [[nodiscard]] JournalTotals totals() const;

 private:
  const Budget budget_;
  mutable std::mutex mutex_;
  // Guarded.
  JournalTotals known_;
  std::int64_t tokens_ = 0;  // known or expected
  double cost_ = 0;          // the same
};

}  // namespace carillon::pipeline
