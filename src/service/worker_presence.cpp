#include "service/worker_presence.hpp"

#include <algorithm>

namespace carillon {

void WorkerPresence::note(std::span<const std::string> queues, Duration lease) {
  const Duration now = clock_.since_boot();
  const std::scoped_lock lock{mutex_};
  if (served_until_.size() >= queue_count_max)
    std::erase_if(served_until_, [&](const auto& served) { return served.second <= now; });
  for (const std::string& queue : queues) {
    Duration& until = served_until_[queue];
    until = std::max(until, now + lease);
  }
}

bool WorkerPresence::is_unserved(std::string_view queue) const {
  const Duration now = clock_.since_boot();
  if (queue.starts_with('@') || now < known_from_) return false;
  const std::scoped_lock lock{mutex_};
  const auto found = served_until_.find(queue);
  return found == served_until_.end() || found->second <= now;
}

}  // namespace carillon
