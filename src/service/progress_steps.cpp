#include "service/progress_steps.hpp"

#include <algorithm>
#include <utility>

namespace carillon {

void ProgressSteps::add(std::vector<AttemptProgress> steps) {
  for (AttemptProgress& step : steps) pending_[step.key].step = std::move(step.progress);
}

std::vector<AttemptProgress> ProgressSteps::take(Time now) {
  std::vector<AttemptProgress> due;
  for (auto at = pending_.begin(); at != pending_.end();) {
    auto& [key, pending] = *at;
    if (now < pending.not_before) {
      ++at;
    } else if (pending.step) {
      due.push_back({.key = key, .progress = *std::exchange(pending.step, std::nullopt)});
      pending.not_before = now + progress_interval;
      ++at;
    } else {
      at = pending_.erase(at);  // quiet for long enough
    }
  }
  return due;
}

std::optional<ProgressSteps::Time> ProgressSteps::next() const {
  std::optional<Time> first;
  for (const auto& [key, pending] : pending_)
    if (pending.step) first = std::min(first.value_or(pending.not_before), pending.not_before);
  return first;
}

}  // namespace carillon
