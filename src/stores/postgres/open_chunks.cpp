#include "stores/postgres/open_chunks.hpp"

#include <algorithm>

namespace carillon::postgres {
namespace {

/// What waits of a log when memory is short: a few lines.
constexpr std::size_t short_tail = 4 * 1024;

void add_chunks(std::vector<LogChunk>& chunks, std::string_view bytes, std::int64_t first, std::size_t size_max) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, size_max);
    chunks.push_back({.first = first, .bytes = std::string{piece}});
    first += static_cast<std::int64_t>(piece.size());
    bytes.remove_prefix(piece.size());
  }
}

}  // namespace

void OpenChunks::append(std::string_view bytes, bool has_memory) {
  const auto head_room = static_cast<std::int64_t>(limits_.head_size_max) - printed_;
  if (tail_.empty() && head_room > 0 && has_memory) {
    const std::string_view to_head = bytes.substr(0, static_cast<std::size_t>(head_room));
    if (head_.empty()) head_first_ = printed_;
    head_ += to_head;
    printed_ += static_cast<std::int64_t>(to_head.size());
    bytes.remove_prefix(to_head.size());
  }
  printed_ += static_cast<std::int64_t>(bytes.size());
  tail_ += bytes;
  const std::size_t tail_max = has_memory ? limits_.tail_size_max : std::min(short_tail, limits_.tail_size_max);
  if (tail_.size() <= tail_max) return;
  tail_.erase(0, tail_.size() - tail_max);
  has_dropped_ = true;
}

std::vector<LogChunk> OpenChunks::chunks() const {
  std::vector<LogChunk> chunks;
  add_chunks(chunks, head_, head_first_, limits_.chunk_size_max);
  add_chunks(chunks, tail_, printed_ - static_cast<std::int64_t>(tail_.size()), limits_.chunk_size_max);
  return chunks;
}

void OpenChunks::written(std::int64_t printed) {
  const auto count_of = [](std::int64_t bytes, const std::string& text) {
    return std::min(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0)), text.size());
  };
  const std::size_t of_head = count_of(printed - head_first_, head_);
  head_.erase(0, of_head);
  head_first_ += static_cast<std::int64_t>(of_head);
  tail_.erase(0, count_of(printed - (printed_ - static_cast<std::int64_t>(tail_.size())), tail_));
}

std::int64_t OpenChunks::forgotten_before() const {
  const std::int64_t before = printed_ - static_cast<std::int64_t>(limits_.tail_size_max);
  return before > static_cast<std::int64_t>(limits_.head_size_max) ? before : 0;
}

bool OpenChunks::is_truncated() const { return has_dropped_ || forgotten_before() > 0; }

}  // namespace carillon::postgres
