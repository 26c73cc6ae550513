#include "stores/memory/ready_runs.hpp"

#include <algorithm>

namespace carillon::memory {

void ReadyRuns::put(const QueuedRun& row) {
  const Run& run = row.run;
  queues_[row.queue].by_time.emplace(
      Place{run.claimable_from, row.seq},
      Entry{.priority = row.priority, .claimable_from = run.claimable_from, .expires_at = run.expires_at});
}

void ReadyRuns::drop(const QueuedRun& row) {
  const auto queue = queues_.find(row.queue);
  if (queue == queues_.end()) return;
  const Instant from = row.run.claimable_from;
  queue->second.by_time.erase({from, row.seq});
  queue->second.by_rank.erase({rank_of(row.priority, from), row.seq});
}

std::vector<Seq> ReadyRuns::first(std::span<const std::string> queues, Instant now, std::size_t count_max) {
  std::vector<Place> found;
  const std::set<std::string> names{queues.begin(), queues.end()};
  for (const std::string& name : names) {
    const auto queue = queues_.find(name);
    if (queue == queues_.end()) continue;
    let_in(queue->second, now);
    collect(queue->second, now, count_max, found);
  }
  std::ranges::sort(found);
  std::vector<Seq> seqs;
  for (const Place& place : found)
    if (seqs.size() < count_max) seqs.push_back(place.second);
  return seqs;
}

std::optional<Instant> ReadyRuns::next_claimable(std::span<const std::string> queues, Instant now) {
  std::optional<Instant> earliest;
  for (const std::string& name : queues) {
    const auto queue = queues_.find(name);
    if (queue == queues_.end()) continue;
    let_in(queue->second, now);
    const auto& waiting = queue->second.by_time;
    if (waiting.empty()) continue;
    const Instant from = waiting.begin()->first.first;
    earliest = earliest ? std::min(*earliest, from) : from;
  }
  return earliest;
}

void ReadyRuns::let_in(Queue& queue, Instant now) {
  while (!queue.by_time.empty() && queue.by_time.begin()->first.first <= now) {
    auto node = queue.by_time.extract(queue.by_time.begin());
    node.key().first = rank_of(node.mapped().priority, node.mapped().claimable_from);
    queue.by_rank.insert(std::move(node));
  }
}

void ReadyRuns::collect(Queue& queue, Instant now, std::size_t count_max, std::vector<Place>& found) {
  const std::size_t full = found.size() + count_max;
  for (auto at = queue.by_rank.begin(); at != queue.by_rank.end() && found.size() < full;) {
    const Entry& entry = at->second;
    if (entry.claimable_from > now) {
      // The clock was set back since it was let in.
      queue.by_time.emplace(Place{entry.claimable_from, at->first.second}, entry);
      at = queue.by_rank.erase(at);
      continue;
    }
    if (!entry.expires_at || *entry.expires_at >= now) found.push_back(at->first);
    ++at;
  }
}

}  // namespace carillon::memory
