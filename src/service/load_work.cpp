#include "service/load_work.hpp"

#include <algorithm>

namespace carillon {

std::map<Uid, Duration> average_durations(std::span<const RunRecordRow> runs) {
  struct Sum {
    Duration total{};
    std::int64_t count = 0;
  };
  std::map<Uid, Sum> sums;
  for (const RunRecordRow& row : runs) {
    const Run& run = row.run;
    // A run that was stopped says nothing of how long the next one takes.
    const bool has_ended = run.state == RunState::succeeded || run.state == RunState::failed;
    if (!row.key || row.outcome != DecisionOutcome::started || !has_ended || !run.started_at || !run.ended_at) continue;
    Sum& sum = sums[row.uid];
    sum.total += std::max(*run.ended_at - *run.started_at, Duration{0});
    ++sum.count;
  }
  std::map<Uid, Duration> averages;
  for (const auto& [uid, sum] : sums) averages.emplace(uid, sum.total / sum.count);
  return averages;
}

void WorkForecast::add(std::size_t bucket, std::int64_t count, Duration takes) {
  const auto runs = static_cast<double>(count);
  const auto whole = static_cast<std::size_t>(takes / bucket_);
  const double rest = static_cast<double>((takes % bucket_).count()) / static_cast<double>(bucket_.count());
  add_from(bucket, runs);
  add_from(bucket + whole, runs * (rest - 1));
  add_from(bucket + whole + 1, -runs * rest);
}

void WorkForecast::add_from(std::size_t bucket, double runs) {
  if (bucket < changes_.size()) changes_[bucket] += runs;
}

std::vector<double> WorkForecast::busy() const {
  std::vector<double> busy;
  double at_work = 0;
  for (std::size_t i = 0; i + 1 < changes_.size(); ++i) {
    at_work += changes_[i];
    busy.push_back(std::max(at_work, 0.0));
  }
  return busy;
}

}  // namespace carillon
