#pragma once

#include "api/temporal/answers.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace carillon::temporal {

/// Remembers what of schedules changes only with their revisions: reading a document, and the messages in it, costs
/// more than all else of a description. May be called from several threads.
class DescriptionCache {
 public:
  /// So many schedules are remembered, and no document that is larger.
  static constexpr std::size_t count_max = 1'000;
  static constexpr std::size_t document_size_max = 32 * 1024;

  /// Null if the stored definition cannot be read.
  [[nodiscard]] std::shared_ptr<const Description> of(const ScheduleRecord& record);

 private:
  struct Entry {
    std::int64_t revision = 0;
    std::shared_ptr<const Description> description;
  };
  std::mutex mutex_;
  std::map<Uid, Entry> entries_;  // guarded
};

}  // namespace carillon::temporal
