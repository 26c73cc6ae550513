#pragma once

#include "engine/keys.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::postgres {

/// A stretch of a log that is to be written.
struct LogChunk {
  std::int64_t first = 0;  // the place of its first byte in what was printed
  std::string bytes;
};

struct ChunkLimits {
  std::size_t head_size_max = 512 * 1024;  // kept from the beginning of each log
  std::size_t tail_size_max = 512 * 1024;  // and from its end
  std::size_t chunk_size_max = 64 * 1024;
};

/// What an attempt has printed and nobody has written yet. The beginning waits whole; of what comes after it only the
/// end waits, so that a log whose writer is slow takes little memory. Pure.
class OpenChunks {
 public:
  explicit OpenChunks(const ChunkLimits& limits) : limits_{limits} {}

  /// `has_memory`: whether more than a few lines of it may wait.
  void append(std::string_view bytes, bool has_memory);

  /// Everything that waits. It waits on until `written` is told.
  [[nodiscard]] std::vector<LogChunk> chunks() const;
  /// All that had been printed up to this place is written, or was left out.
  void written(std::int64_t printed);

  [[nodiscard]] std::int64_t printed() const { return printed_; }
  [[nodiscard]] std::size_t waiting_size() const { return head_.size() + tail_.size(); }
  /// Only the end of the log waits: it may be written less often.
  [[nodiscard]] bool is_beyond_head() const { return head_.empty(); }
  /// Whether bytes are left out for good.
  [[nodiscard]] bool is_truncated() const;
  /// Chunks that lie behind the head and before this place are not kept any more; zero: none.
  [[nodiscard]] std::int64_t forgotten_before() const;

 private:
  ChunkLimits limits_;
  std::int64_t printed_ = 0;
  std::string head_;
  std::int64_t head_first_ = 0;
  std::string tail_;  // ends at printed_
  bool has_dropped_ = false;
};

}  // namespace carillon::postgres
