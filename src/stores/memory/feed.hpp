#pragma once

#include "base/instant.hpp"
#include "engine/feed_rules.hpp"
#include "stores/memory/tables.hpp"

#include <optional>

namespace carillon::memory {

/// Tells those who watch, if there is anything to tell. The position is given here.
void note(Tables& tables, std::optional<FeedEvent> event);

/// Of which an event tells.
[[nodiscard]] inline WrittenRow written_row(const QueuedRun& row, Instant now) {
  return {.uid = row.uid, .seq = row.seq, .at = now};
}

}  // namespace carillon::memory
