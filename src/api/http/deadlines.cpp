#include "api/http/deadlines.hpp"

#include <algorithm>
#include <utility>

namespace carillon::http {

std::string_view to_text(DeadlineKind kind) {
  switch (kind) {
    case DeadlineKind::head: return "head";
    case DeadlineKind::body: return "body";
    case DeadlineKind::idle: return "idle";
    case DeadlineKind::write: return "write";
    case DeadlineKind::linger: return "linger";
  }
  std::unreachable();
}

Deadlines::Deadlines(const Limits& limits) {
  queue_of(DeadlineKind::head).length = limits.header_timeout;
  queue_of(DeadlineKind::body).length = limits.body_timeout;
  queue_of(DeadlineKind::idle).length = limits.idle_timeout;
  queue_of(DeadlineKind::write).length = limits.write_timeout;
  queue_of(DeadlineKind::linger).length = limits.linger_timeout;
}

SteadyTime Deadlines::set(Expiring& item, DeadlineKind kind, SteadyTime now) {
  Queue& queue = queue_of(kind);
  item.unlink();
  item.deadline_ = now + queue.length;
  queue.items.push_back(item);
  return item.deadline_;
}

void Deadlines::clear(Expiring& item) { item.unlink(); }

std::optional<SteadyTime> Deadlines::earliest() const {
  std::optional<SteadyTime> found;
  for (const Queue& queue : queues_) {
    if (queue.items.empty()) continue;
    const SteadyTime first = queue.items.front().deadline_;
    found = found ? std::min(*found, first) : first;
  }
  return found;
}

void Deadlines::expire(SteadyTime now) {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    auto& items = queues_[i].items;
    while (!items.empty() && items.front().deadline_ <= now) {
      Expiring& item = items.front();
      items.pop_front();
      item.on_deadline(static_cast<DeadlineKind>(i));
    }
  }
}

Expiring* Deadlines::longest_waiting(DeadlineKind kind) {
  auto& items = queue_of(kind).items;
  return items.empty() ? nullptr : &items.front();
}

}  // namespace carillon::http
