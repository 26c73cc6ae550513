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
  std::int64_t newest = 0;        // the position from which nothing is missed that comes now
  bool is_gap = false;            // what came after the position asked for has been forgotten already
};

/// What happened, in the order in which it became durable: every event is written with what it tells of. Only what is
/// young is kept; who comes later reads the present instead.
class EventFeed {
 public:
  virtual ~EventFeed() = default;

  /// After a position, at most `count_max`. From none, or over a gap: no events, only the newest position.
  [[nodiscard]] virtual Result<FeedPage> read_events(std::optional<std::int64_t> after, std::size_t count_max) = 0;
};

}  // namespace carillon
