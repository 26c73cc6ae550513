#include "service/handed_out.hpp"

namespace carillon {
namespace {

/// Beyond so many, those are forgotten that nobody has asked for in longer than any lease.
constexpr std::size_t entry_count_max = 10'000;
constexpr Duration forgotten_after = std::chrono::hours{2};

}  // namespace

void HandedOut::bound(Duration since_boot) {
  if (entries_.size() < entry_count_max) return;
  std::erase_if(entries_, [&](const auto& entry) { return since_boot - entry.second.touched > forgotten_after; });
}

void HandedOut::note_claim(const AttemptKey& key, Instant at, Duration since_boot) {
  const std::scoped_lock lock{mutex_};
  bound(since_boot);
  entries_[key] = {.claimed_at = at, .is_on_its_way = true, .touched = since_boot};
}

void HandedOut::note_answer(const AttemptKey& key) {
  const std::scoped_lock lock{mutex_};
  if (const auto found = entries_.find(key); found != entries_.end()) found->second.is_on_its_way = false;
}

void HandedOut::forget(const AttemptKey& key) {
  const std::scoped_lock lock{mutex_};
  entries_.erase(key);
}

std::optional<Instant> HandedOut::answered_at(const AttemptKey& key) const {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(key);
  return found == entries_.end() || found->second.is_on_its_way ? std::nullopt : found->second.claimed_at;
}

std::optional<Instant> HandedOut::claimed_at(const AttemptKey& key) const {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(key);
  return found == entries_.end() ? std::nullopt : found->second.claimed_at;
}

bool HandedOut::is_overdue(const AttemptKey& key, Duration since_boot) {
  const std::scoped_lock lock{mutex_};
  bound(since_boot);
  Entry& entry = entries_[key];
  entry.touched = since_boot;
  if (entry.is_on_its_way) return false;
  if (!entry.unknown_since) entry.unknown_since = since_boot;
  return since_boot - *entry.unknown_since >= unknown_grace;
}

}  // namespace carillon
