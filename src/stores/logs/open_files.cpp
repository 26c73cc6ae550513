#include "stores/logs/open_files.hpp"

#include <utility>

namespace carillon {

Result<std::shared_ptr<const OpenFile>> OpenFiles::get(const LogKey& key) {
  const std::lock_guard lock{mutex_};
  if (const auto place = places_.find(key); place != places_.end()) {
    entries_.splice(entries_.begin(), entries_, place->second);
    return place->second->file;
  }
  while (!entries_.empty() && entries_.size() >= count_max_) {
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
  auto file = std::make_shared<const OpenFile>(TRY(folder_.open_file(key, LogFolder::Access::append)));
  entries_.push_front({key, file});
  places_[key] = entries_.begin();
  return file;
}

void OpenFiles::forget(const LogKey& key) {
  const std::lock_guard lock{mutex_};
  const auto place = places_.find(key);
  if (place == places_.end()) return;
  entries_.erase(place->second);
  places_.erase(place);
}

}  // namespace carillon
