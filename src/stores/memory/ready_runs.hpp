#pragma once

#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/run_queue.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace carillon::memory {

/// Runs that wait for a worker. Those whose time has not come stand apart, by that time, so that nobody steps over
/// them.
class ReadyRuns {
 public:
  void put(const QueuedRun& row);
  void drop(const QueuedRun& row);

  /// The lanes in which runs wait.
  [[nodiscard]] std::vector<std::string> lanes() const;

  /// Runs of these lanes that may be claimed now, by rank and then by seq, at most so many of each lane. What has
  /// expired is left out.
  [[nodiscard]] std::vector<Seq> first(std::span<const std::string> lanes, Instant now, std::size_t count_max);

  /// When the next run of these lanes may be claimed that cannot be yet.
  [[nodiscard]] std::optional<Instant> next_claimable(std::span<const std::string> lanes, Instant now);

 private:
  struct Entry {
    std::int64_t priority = 0;
    Instant claimable_from;
    std::optional<Instant> expires_at;
  };
  using Place = std::pair<Instant, Seq>;  // rank, or the time from which on it may be claimed
  struct WaitingLane {
    std::map<Place, Entry> by_rank;
    std::map<Place, Entry> by_time;
  };

  static void let_in(WaitingLane& lane, Instant now);
  static void collect(WaitingLane& lane, Instant now, std::size_t count_max, std::vector<Place>& found);

  std::map<std::string, WaitingLane> lanes_;  // none that is empty
};

}  // namespace carillon::memory
