#include "document/positions.hpp"

#include <algorithm>

namespace carillon {
namespace {

constexpr std::string_view utf8_byte_order_mark = "\xEF\xBB\xBF";

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

std::string_view byte_order_mark(std::string_view text) {
  return text.substr(0, text.starts_with(utf8_byte_order_mark) ? utf8_byte_order_mark.size() : 0);
}

Position PositionWalk::at(std::size_t offset) {
  for (offset = std::min(offset, text_.size()); offset_ < offset; ++offset_) {
    if (text_[offset_] == '\n') {
      position_ = {position_.line + 1, 1};
    } else if (offset_ + 1 == text_.size() || begins_character(text_[offset_ + 1])) {
      ++position_.column;
    }
  }
  return position_;
}

Position position_of(std::string_view text, std::size_t offset) {
  const std::size_t mark_size = byte_order_mark(text).size();
  return PositionWalk{text.substr(mark_size)}.at(offset - std::min(offset, mark_size));
}

bool PositionMap::is_full() const {
  return positions_.size() >= position_count_max || pointer_size_ >= document_size_max;
}

void PositionMap::add(std::string_view pointer, Position position) {
  if (is_full()) return;
  pointer_size_ += pointer.size();
  positions_.emplace(pointer, position);
}

}  // namespace carillon
