#include "main/file_limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace carillon {
namespace {

/// The store, its readers, logs, pollers, and what libraries open for a moment.
constexpr std::size_t own_files = 128;
/// Those who are told that they are too many are there for a moment too.
constexpr std::size_t refused_connections = 128;
/// Two pipes with both ends, standard input, a log, and as many again while it changes hands.
constexpr std::size_t files_of_run = 8;
constexpr std::size_t connection_count_min = 16;
constexpr std::size_t connection_count_max = 10'000;

}  // namespace

std::size_t raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  if (limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(limit.rlim_cur);
}

std::size_t files_needed(std::size_t worker_count) {
  return own_files + refused_connections + files_of_run * worker_count + connection_count_min;
}

std::size_t connections_within(std::size_t file_limit, std::size_t worker_count) {
  const std::size_t reserve = files_needed(worker_count) - connection_count_min;
  const std::size_t left = file_limit > reserve ? file_limit - reserve : 0;
  return std::clamp(left, connection_count_min, connection_count_max);
}

}  // namespace carillon
