#include "stores/logs/tail_ring.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t size_min = 4 * 1024;
// A program that changes the stream with every byte shall not need a multiple of the memory.
constexpr std::size_t stretch_count_max = 8 * 1024;

}  // namespace

bool TailMemory::take(std::size_t size) {
  const auto wanted = static_cast<std::int64_t>(size);
  std::int64_t free = free_;
  while (free >= wanted) {
    if (free_.compare_exchange_weak(free, free - wanted)) return true;
  }
  return false;
}

void TailRing::append(OutputStream stream, std::string_view bytes) {
  const std::size_t passing = bytes.size() - std::min(bytes.size(), size_max_);
  if (passing > 0) {
    skip(static_cast<std::int64_t>(passing));
    bytes.remove_prefix(passing);
  }
  while (!bytes.empty()) {
    make_room(bytes.size());
    const std::string_view piece = bytes.substr(0, buffer_.size() - size_);
    if (stretches_.empty() || stretches_.back().stream != stream) stretches_.push_back({stream, 0});
    put(piece);
    bytes.remove_prefix(piece.size());
  }
  while (stretches_.size() > stretch_count_max) drop(stretches_.front().size);
}

void TailRing::skip(std::int64_t count) {
  drop(size_);
  dropped_count_ += count;
}

std::string TailRing::text() const {
  const std::size_t until_end = std::min(size_, buffer_.size() - begin_);
  return buffer_.substr(begin_, until_end) + buffer_.substr(0, size_ - until_end);
}

void TailRing::make_room(std::size_t size) {
  while (buffer_.size() - size_ < size && grow()) continue;
  const std::size_t room = buffer_.size() - size_;
  if (room < size) drop(std::min(size_, size - room));
}

bool TailRing::grow() {
  const std::size_t larger = std::min(size_max_, std::max(size_min, 2 * buffer_.size()));
  if (larger <= buffer_.size()) return false;
  const std::size_t wanted = larger - buffer_.size();
  const bool is_taken = memory_.take(wanted);
  if (!is_taken && !buffer_.empty()) return false;
  if (is_taken) taken_size_ += wanted;
  std::string all = text();
  all.resize(larger);
  buffer_ = std::move(all);
  begin_ = 0;
  return true;
}

void TailRing::drop(std::size_t size) {
  if (size == 0) return;
  begin_ = (begin_ + size) % buffer_.size();
  size_ -= size;
  dropped_count_ += static_cast<std::int64_t>(size);
  while (size > 0) {
    Stretch& first = stretches_.front();
    const std::size_t taken = std::min(size, first.size);
    first.size -= taken;
    size -= taken;
    if (first.size == 0) stretches_.pop_front();
  }
}

void TailRing::put(std::string_view bytes) {
  const std::size_t at = (begin_ + size_) % buffer_.size();
  const std::size_t until_end = std::min(bytes.size(), buffer_.size() - at);
  std::ranges::copy(bytes.substr(0, until_end), buffer_.begin() + static_cast<std::ptrdiff_t>(at));
  std::ranges::copy(bytes.substr(until_end), buffer_.begin());
  size_ += bytes.size();
  stretches_.back().size += bytes.size();
}

}  // namespace carillon
