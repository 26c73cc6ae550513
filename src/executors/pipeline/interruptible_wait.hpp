#pragma once

#include "base/instant.hpp"

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace carillon::pipeline {

/// Waits, but no longer than until a stop is requested.
inline void wait_for(Duration length, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock{mutex};
  never.wait_for(lock, stop, length, [] { return false; });
}

}  // namespace carillon::pipeline
