#pragma once

#include "base/error.hpp"
#include "engine/feed_event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace carillon {

struct FeedPage {
  std::vector<FeedEvent> events;  // ascending
  std::int64_t newest = 0;        // position of the newest event: reading after it misses nothing that comes later
  bool is_gap = false;            // events after the position asked for are no longer kept
};

/// Events in the order in which they became durable. An event is written in the same transaction as the change it tells
/// of. Only the newest events are kept: a reader that comes too late is told of the gap, and must read the current
/// state instead. May be called from several threads.
class EventFeed {
 public:
  virtual ~EventFeed() = default;

  /// Events after a position, at most `count_max`. Without a position, or if there is a gap: no events, only the newest
  /// position.
  [[nodiscard]] virtual Result<FeedPage> read_events(std::optional<std::int64_t> after, std::size_t count_max) = 0;
};

}  // namespace carillon
