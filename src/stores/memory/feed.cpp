#include "stores/memory/feed.hpp"

namespace carillon::memory {
namespace {

constexpr std::size_t kept_count = 100'000;

}  // namespace

void note(Tables& tables, FeedEvent event) {
  event.position = ++tables.feed_position;
  tables.feed.push_back(event);
  tables.change.has_events = true;
  if (tables.feed.size() > kept_count) tables.feed.pop_front();
}

void note(Tables& tables, FeedKind kind, const QueuedRun& row, Instant now) {
  FeedEvent event{.at = now, .kind = kind, .uid = row.uid, .subject = row.seq};
  if (kind != FeedKind::occurrence_skipped) event.state = row.run.state;
  note(tables, event);
}

}  // namespace carillon::memory
