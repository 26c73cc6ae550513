#pragma once

#include "ports/executor.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace carillon {

/// Memory that all rings share. May be used from several threads.
class TailMemory {
 public:
  explicit TailMemory(std::size_t size_max) : free_{static_cast<std::int64_t>(size_max)} {}

  [[nodiscard]] bool take(std::size_t size);
  void give_back(std::size_t size) { free_ += static_cast<std::int64_t>(size); }

 private:
  std::atomic<std::int64_t> free_;
};

/// The last bytes of an output, with the streams they came from. It grows as it is used, up to its bound; while the
/// shared memory is used up it stays as large as it is, and never smaller than a few lines.
class TailRing {
 public:
  TailRing(TailMemory& memory, std::size_t size_max) : memory_{memory}, size_max_{size_max} {}
  TailRing(const TailRing&) = delete;
  TailRing& operator=(const TailRing&) = delete;
  ~TailRing() { memory_.give_back(taken_size_); }

  void append(OutputStream stream, std::string_view bytes);
  /// Leaves out the next bytes, and with them all that came before.
  void skip(std::int64_t count);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// How many bytes have made room for later ones.
  [[nodiscard]] std::int64_t dropped_count() const { return dropped_count_; }
  [[nodiscard]] std::string text() const;

  struct Stretch {
    OutputStream stream;
    std::size_t size;
  };
  /// The streams of text(), in order.
  [[nodiscard]] const std::deque<Stretch>& stretches() const { return stretches_; }

 private:
  void make_room(std::size_t size);
  [[nodiscard]] bool grow();
  void drop(std::size_t size);
  void put(std::string_view bytes);

  TailMemory& memory_;
  const std::size_t size_max_;
  std::string buffer_;  // the bytes begin at begin_ and go on at the front
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  std::size_t taken_size_ = 0;  // of the shared memory
  std::int64_t dropped_count_ = 0;
  std::deque<Stretch> stretches_;
};

}  // namespace carillon
