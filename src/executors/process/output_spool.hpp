#pragma once

#include "ports/executor.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What a command prints while no server reads it, in order: its beginning and its end, with a line between them that
/// says how much was left out.
class OutputSpool {
 public:
  struct Piece {
    OutputStream stream = OutputStream::out;
    std::string bytes;
  };
  /// As much as a log keeps.
  static constexpr std::size_t part_size_max = 512 * 1024;

  /// Keeps so much of the beginning, and of the end.
  explicit OutputSpool(std::size_t part_size = part_size_max) : part_size_{part_size} {}

  void add(OutputStream stream, std::string_view bytes);
  [[nodiscard]] std::vector<Piece> pieces() const;
  [[nodiscard]] bool is_empty() const { return head_.empty(); }
  void clear();

 private:
  std::size_t part_size_;
  std::deque<Piece> head_;
  std::deque<Piece> tail_;
  std::size_t head_size_ = 0;
  std::size_t tail_size_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace carillon
