#pragma once

#include "base/instant.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace carillon {

/// A token bucket for each name: so many a second, and so many at once. May be called from several threads.
class RateLimit {
 public:
  RateLimit(double per_second, double at_once) : per_second_{per_second}, at_once_{at_once} {}

  /// Takes so many, all or none; false if there are not enough left. `now` is time since boot.
  [[nodiscard]] bool take(std::string_view name, Duration now, double count = 1) {
    const std::scoped_lock lock{mutex_};
    // Those that are full again need not be remembered.
    if (buckets_.size() >= name_count_max)
      std::erase_if(buckets_, [&](const auto& entry) { return is_full(entry.second, now); });
    if (buckets_.size() >= name_count_max) buckets_.clear();
    const auto found = buckets_.try_emplace(std::string{name}, Bucket{.left = at_once_, .at = now}).first;
    Bucket& bucket = found->second;
    bucket.left = level(bucket, now);
    bucket.at = now;
    if (bucket.left < count) return false;
    bucket.left -= count;
    return true;
  }

 private:
  struct Bucket {
    double left = 0;
    Duration at{};
  };
  static constexpr std::size_t name_count_max = 10'000;

  [[nodiscard]] double level(const Bucket& bucket, Duration now) const {
    return std::min(at_once_, bucket.left + std::chrono::duration<double>(now - bucket.at).count() * per_second_);
  }
  [[nodiscard]] bool is_full(const Bucket& bucket, Duration now) const { return level(bucket, now) >= at_once_; }

  double per_second_;
  double at_once_;
  std::mutex mutex_;
  std::map<std::string, Bucket, std::less<>> buckets_;  // guarded
};

}  // namespace carillon
