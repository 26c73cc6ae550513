#pragma once

#include "service/operation.hpp"
#include "service/refusal.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>

namespace carillon {

/// Whether the server is stopping. While it waits for running work, reads are answered and runs may be cancelled or
/// reported as finished; everything else that writes is refused. May be called from several threads.
class Shutdown {
 public:
  /// From now on the server is stopping. `running_count` says how many runs it still waits for; it is called from any
  /// thread until the application is destroyed. To be called once.
  void begin(std::function<std::size_t()> running_count);

  /// How many runs the stop waits for; none if the server is not stopping.
  [[nodiscard]] std::optional<std::size_t> waits_for() const;

  /// Refuses (unavailable, `stopping`) what must not begin any more.
  [[nodiscard]] Served<> check(const Operation& operation) const;

 private:
  std::function<std::size_t()> running_count_;  // written before `has_begun_`
  std::atomic<bool> has_begun_ = false;
};

}  // namespace carillon
