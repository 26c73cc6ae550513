#pragma once

#include "document/document.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace carillon {

/// A byte-order mark is no part of a document. It is empty if the text has none.
[[nodiscard]] std::string_view byte_order_mark(std::string_view text);

/// Turns byte offsets that never decrease into positions, in one walk over the text altogether.
class PositionWalk {
 public:
  explicit PositionWalk(std::string_view text) : text_{text} {}

  /// An offset before the last one gives the last position again.
  [[nodiscard]] Position at(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  Position position_{1, 1};
};

/// Collects positions by pointer up to a bound on their number and on the length of all pointers.
class PositionMap {
 public:
  [[nodiscard]] bool is_full() const;
  void add(std::string_view pointer, Position position);
  [[nodiscard]] std::map<std::string, Position, std::less<>> take() { return std::move(positions_); }

 private:
  std::map<std::string, Position, std::less<>> positions_;
  std::size_t pointer_size_ = 0;
};

}  // namespace carillon
