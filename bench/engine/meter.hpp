#pragma once

#include "base/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace carillon::bench {

/// A benchmark that fails has nothing to say.
[[noreturn]] void die(const Error& error);

template <typename T>
T must(Result<T> result) {
  if (!result) die(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// CPU seconds of this process so far, all threads.
[[nodiscard]] double cpu_seconds();
/// Resident memory of this process in MB.
[[nodiscard]] double resident_megabytes();
[[nodiscard]] double seconds_since(std::chrono::steady_clock::time_point begin);
/// The value below which `share` of the others lie. Sorts.
[[nodiscard]] double quantile(std::vector<double>& values, double share);
/// With three digits, which is more than a benchmark knows.
[[nodiscard]] boost::json::value number(double value);

/// One line for whoever runs the benchmark.
void print_line(const boost::json::object& line);

/// Wall and CPU time of what happens between `start` and `stop`, summed.
class Meter {
 public:
  void start();
  void stop(std::size_t count);

  [[nodiscard]] double per_second() const { return count_ / seconds_; }
  [[nodiscard]] double cpu_microseconds_each() const { return cpu_sum_ * 1e6 / count_; }
  [[nodiscard]] double longest_milliseconds() const { return longest_ * 1e3; }
  [[nodiscard]] double count() const { return count_; }

 private:
  std::chrono::steady_clock::time_point begun_{};
  double cpu_ = 0;
  double seconds_ = 0;
  double cpu_sum_ = 0;
  double longest_ = 0;
  double count_ = 0;
};

}  // namespace carillon::bench
