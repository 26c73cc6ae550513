#pragma once

#include "base/instant.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace carillon {

/// Answers of a door, serialised, that are still true: until anything is written that those who watch are told of,
/// until the time comes at which one says something else, and never longer than a second. Dashboards ask for the same
/// thing again and again. May be called from several threads.
class AnswerCache {
 public:
  struct Answer {
    std::string body;
    std::string etag{};  // of REST
  };
  using AnswerPtr = std::shared_ptr<const Answer>;

  /// Something was written: nothing that was read before may be kept or found any more.
  void forget_all() { ++epoch_; }
  /// To be asked before reading what is to be kept.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

  /// `now` is time since boot.
  [[nodiscard]] AnswerPtr find(const std::string& key, Duration now) {
    const std::scoped_lock lock{mutex_};
    const auto found = kept_.find(key);
    if (found == kept_.end() || found->second.epoch != epoch_ || now >= found->second.until) return nullptr;
    return found->second.answer;
  }

  void keep(std::string key, std::uint64_t epoch, Duration until, Answer answer) {
    const std::scoped_lock lock{mutex_};
    if (kept_.size() >= count_max) kept_.clear();
    kept_.insert_or_assign(
        std::move(key),
        Kept{.epoch = epoch, .until = until, .answer = std::make_shared<const Answer>(std::move(answer))});
  }

  static constexpr Duration age_max = std::chrono::seconds{1};

 private:
  static constexpr std::size_t count_max = 4'096;
  struct Kept {
    std::uint64_t epoch = 0;
    Duration until{};
    AnswerPtr answer;
  };
  std::atomic<std::uint64_t> epoch_{};
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;  // guarded
};

}  // namespace carillon
