#include "stores/memory/ready_runs.hpp"

#include <algorithm>

namespace carillon::memory {

void ReadyRuns::put(const QueuedRun& row) {
  const Run& run = row.run;
  lanes_[row.queue].by_time.emplace(
      Place{run.claimable_from, row.seq},
      Entry{.priority = row.priority, .claimable_from = run.claimable_from, .expires_at = run.expires_at});
}

void ReadyRuns::drop(const QueuedRun& row) {
  const auto lane = lanes_.find(row.queue);
  if (lane == lanes_.end()) return;
  const Instant from = row.run.claimable_from;
  lane->second.by_time.erase({from, row.seq});
  lane->second.by_rank.erase({rank_of(row.priority, from), row.seq});
  if (lane->second.by_time.empty() && lane->second.by_rank.empty()) lanes_.erase(lane);
}

std::vector<std::string> ReadyRuns::lanes() const {
  std::vector<std::string> names;
  for (const auto& [name, lane] : lanes_) names.push_back(name);
  return names;
}

std::vector<Seq> ReadyRuns::first(std::span<const std::string> lanes, Instant now, std::size_t count_max) {
  std::vector<Place> found;
  const std::set<std::string> names{lanes.begin(), lanes.end()};
  for (const std::string& name : names) {
    const auto lane = lanes_.find(name);
    if (lane == lanes_.end()) continue;
    let_in(lane->second, now);
    collect(lane->second, now, count_max, found);
  }
  std::ranges::sort(found);
  std::vector<Seq> seqs;
  seqs.reserve(found.size());
  for (const Place& place : found) seqs.push_back(place.second);
  return seqs;
}

std::optional<Instant> ReadyRuns::next_claimable(std::span<const std::string> lanes, Instant now) {
  std::optional<Instant> earliest;
  for (const std::string& name : lanes) {
    const auto lane = lanes_.find(name);
    if (lane == lanes_.end()) continue;
    let_in(lane->second, now);
    const auto& waiting = lane->second.by_time;
    if (waiting.empty()) continue;
    const Instant from = waiting.begin()->first.first;
    earliest = earliest ? std::min(*earliest, from) : from;
  }
  return earliest;
}

void ReadyRuns::let_in(WaitingLane& lane, Instant now) {
  while (!lane.by_time.empty() && lane.by_time.begin()->first.first <= now) {
    auto node = lane.by_time.extract(lane.by_time.begin());
    node.key().first = rank_of(node.mapped().priority, node.mapped().claimable_from);
    lane.by_rank.insert(std::move(node));
  }
}

void ReadyRuns::collect(WaitingLane& lane, Instant now, std::size_t count_max, std::vector<Place>& found) {
  const std::size_t full = found.size() + count_max;
  for (auto at = lane.by_rank.begin(); at != lane.by_rank.end() && found.size() < full;) {
    const Entry& entry = at->second;
    if (entry.claimable_from > now) {
      // The clock was set back since it was let in.
      lane.by_time.emplace(Place{entry.claimable_from, at->first.second}, entry);
      at = lane.by_rank.erase(at);
      continue;
    }
    if (!entry.expires_at || *entry.expires_at >= now) found.push_back(at->first);
    ++at;
  }
}

}  // namespace carillon::memory
