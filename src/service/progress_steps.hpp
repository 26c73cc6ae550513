#pragma once

#include "ports/run_progress.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace carillon {

/// How often subscribers are told of the progress of one run.
inline constexpr std::chrono::milliseconds progress_interval{250};

/// Thins out the steps of attempts, so that of each at most one in `progress_interval` is told, and of those that come
/// in between the last. One thread's.
class ProgressSteps {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void add(std::vector<AttemptProgress> steps);
  /// What is to be told now.
  [[nodiscard]] std::vector<AttemptProgress> take(Time now);
  /// When there will be something to tell; none if there is nothing.
  [[nodiscard]] std::optional<Time> next() const;

 private:
  struct Pending {
    std::optional<RunProgress> step{};
    Time not_before{};
  };
  std::map<AttemptKey, Pending> pending_;
};

}  // namespace carillon
