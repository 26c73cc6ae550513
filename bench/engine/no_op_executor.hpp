#pragma once

#include "ports/executor.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace carillon::bench {

/// How many attempts that do nothing a worker has at a time, unless told.
inline constexpr std::size_t capacity_of_nothing = 2'000;

/// Ends every attempt at once, from a thread of its own.
class NoOpExecutor final : public Executor {
 public:
  /// `on_launch` is told of each attempt before it ends; may be null.
  explicit NoOpExecutor(AttemptEvents& events, std::function<void(const Envelope&)> on_launch = {});

  void launch(Assignment assignment) override;
  void stop(const AttemptKey& /*key*/, Stop /*how*/) override {}
  void extend_until(Duration /*since_boot*/) override {}

 private:
  void work(const std::stop_token& stop);

  AttemptEvents& events_;
  std::function<void(const Envelope&)> on_launch_;
  std::mutex mutex_;
  std::condition_variable_any has_work_;
  std::vector<AttemptKey> waiting_;
  std::jthread thread_;
};

}  // namespace carillon::bench
