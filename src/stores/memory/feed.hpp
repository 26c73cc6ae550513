#pragma once

#include "base/instant.hpp"
#include "ports/event_feed.hpp"
#include "stores/memory/tables.hpp"

namespace carillon::memory {

/// Tells those who watch. The position is given here.
void note(Tables& tables, FeedEvent event);

/// The same about a run, or about an occurrence that has none any more.
void note(Tables& tables, FeedKind kind, const QueuedRun& row, Instant now);

}  // namespace carillon::memory
