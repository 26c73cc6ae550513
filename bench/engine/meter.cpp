#include "meter.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace carillon::bench {

void die(const Error& error) {
  fmt::print(stderr, "{}\n", error.message);
  std::exit(1);
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double resident_megabytes() {
  std::ifstream status{"/proc/self/status"};
  std::string word;
  while (status >> word) {
    if (word != "VmRSS:") continue;
    double kilobytes = 0;
    status >> kilobytes;
    return kilobytes / 1024;
  }
  return 0;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

boost::json::value number(double value) {
  if (value == 0 || std::abs(value) >= 100) return std::llround(value);
  const double scale = std::pow(10, 2 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

// By hand, because Boost writes numbers as 1.5E1, and people read these lines too.
void print_line(const boost::json::object& line) {
  std::string text;
  for (const auto& [key, value] : line) {
    const std::string shown = value.is_double() ? fmt::format("{}", value.as_double()) : boost::json::serialize(value);
    text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", std::string_view{key}, shown);
  }
  fmt::print("{{{}}}\n", text);
  std::fflush(stdout);
}

void Meter::start() {
  cpu_ = cpu_seconds();
  begun_ = std::chrono::steady_clock::now();
}

void Meter::stop(std::size_t count) {
  const double took = seconds_since(begun_);
  seconds_ += took;
  cpu_sum_ += cpu_seconds() - cpu_;
  longest_ = std::max(longest_, took);
  count_ += static_cast<double>(count);
}

}  // namespace carillon::bench
