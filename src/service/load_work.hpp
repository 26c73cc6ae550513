#pragma once

#include "base/instant.hpp"
#include "ports/query_store.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace carillon {

/// How long runs of each schedule took on average, of those given that have ended by themselves.
[[nodiscard]] std::map<Uid, Duration> average_durations(std::span<const RunRecordRow> runs);

/// How many runs are at work on average in each bucket of a stretch of time, if each start begins with its bucket and
/// takes as long as its schedule's runs did.
class WorkForecast {
 public:
  WorkForecast(std::size_t bucket_count, Duration bucket) : bucket_{bucket}, changes_(bucket_count + 1) {}

  /// `count` starts in a bucket.
  void add(std::size_t bucket, std::int64_t count, Duration takes);
  [[nodiscard]] std::vector<double> busy() const;

 private:
  void add_from(std::size_t bucket, double runs);

  Duration bucket_;
  std::vector<double> changes_;  // against the bucket before
};

}  // namespace carillon
