#include "packages/change_debouncer.hpp"

#include <algorithm>

namespace carillon::packages {

void ChangeDebouncer::note(const FolderScope& scope, Duration now) {
  const auto [found, is_new] = changes_.try_emplace(scope.folder);
  Change& change = found->second;
  if (is_new) change.first = now;
  change.is_recursive |= scope.is_recursive;
  change.due = std::min(now + quiet_time, change.first + quiet_wait_max);
}

std::vector<FolderScope> ChangeDebouncer::take_due(Duration now) {
  std::vector<FolderScope> due;
  std::erase_if(changes_, [&](const auto& entry) {
    const auto& [folder, change] = entry;
    if (change.due > now) return false;
    due.push_back({.folder = folder, .is_recursive = change.is_recursive});
    return true;
  });
  return due;
}

std::optional<Duration> ChangeDebouncer::next_due() const {
  if (changes_.empty()) return std::nullopt;
  return std::ranges::min_element(changes_, {}, [](const auto& entry) { return entry.second.due; })->second.due;
}

}  // namespace carillon::packages
