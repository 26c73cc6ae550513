#include "library/store_changes.hpp"

namespace carillon {

StoreChanges::StoreChanges(Notifier& notifier)
    : subscription_{notifier.subscribe([this](const StoreChange& change) {
        if (change.has_events) add();
      })} {}

std::uint64_t StoreChanges::count() {
  const std::scoped_lock lock{mutex_};
  return count_;
}

void StoreChanges::wait_beyond(std::uint64_t known, Deadline end) {
  std::unique_lock lock{mutex_};
  changed_.wait_until(lock, end, [&] { return count_ > known; });
}

void StoreChanges::add() {
  {
    const std::scoped_lock lock{mutex_};
    ++count_;
  }
  changed_.notify_all();
}

}  // namespace carillon
