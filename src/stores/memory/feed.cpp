#include "stores/memory/feed.hpp"

namespace carillon::memory {
namespace {

constexpr std::size_t kept_count = 100'000;

}  // namespace

void note(Tables& tables, std::optional<FeedEvent> event) {
  if (!event) return;
  event->position = ++tables.feed_position;
  tables.feed.push_back(*event);
  tables.change.has_events = true;
  if (tables.feed.size() > kept_count) tables.feed.pop_front();
}

}  // namespace carillon::memory
