#pragma once

#include "ports/log_store.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace carillon {

/// Logs of a scheduler that keeps everything in memory. Of each log the beginning is kept, and of all logs the newest.
class MemoryLogStore final : public LogStore {
 public:
  static constexpr std::size_t log_size_max = 64 * 1024;
  static constexpr std::size_t log_count_max = 1'000;

  void append(Uid uid, const AttemptKey& key, OutputStream stream, std::string_view bytes) override;
  Result<> close(Uid uid, const AttemptKey& key) override;
  /// What was left out is not told by offsets: `size` and `next_offset` count the bytes that are kept.
  [[nodiscard]] Result<LogPage> read(Uid uid, const AttemptKey& key, std::int64_t offset,
                                     std::size_t count_max) override;
  Result<> remove(Uid uid, const std::vector<Seq>& runs) override;

 private:
  struct KeptLog {
    std::string text;
    bool is_truncated = false;
    bool is_closed = false;
  };

  std::mutex mutex_;
  // Guarded.
  std::map<AttemptKey, KeptLog> logs_;
  std::deque<AttemptKey> oldest_first_;  // also those that were removed
};

}  // namespace carillon
