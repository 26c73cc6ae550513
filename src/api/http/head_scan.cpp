#include "api/http/head_scan.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace carillon::http {
namespace {

constexpr bool is_plain(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return (value >= 0x20 && value != 0x7f) || value == '\t';
}

/// How many bytes at the front are plain for sure. Eight are looked at together: a tab ends the count, too, and so may
/// a byte behind one that is not plain.
std::size_t plain_count(std::string_view bytes) {
  constexpr std::uint64_t each = 0x0101'0101'0101'0101;
  constexpr std::uint64_t high_bits = 0x80 * each;
  std::size_t count = 0;
  for (; count + 8 <= bytes.size(); count += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data() + count, 8);
    const std::uint64_t below_blank = (eight - 0x20 * each) & ~eight;
    const std::uint64_t not_delete = eight ^ (0x7f * each);
    if (((below_blank | ((not_delete - each) & ~not_delete)) & high_bits) != 0) break;
  }
  return count;
}

}  // namespace

std::optional<std::size_t> HeadScan::find_end(std::string_view bytes) {
  const std::size_t first_line_size_before = first_line_size_;
  for (std::size_t i = 0; i < bytes.size() && fault_.empty(); ++i) {
    // Nearly all that comes is plain.
    if (at_ == At::in_line) {
      i += plain_count(bytes.substr(i));
      while (i < bytes.size() && is_plain(bytes[i])) ++i;
    }
    if (is_first_line_) first_line_size_ = first_line_size_before + std::min(i + 1, bytes.size());
    if (i == bytes.size()) return std::nullopt;
    const bool is_last = at_ == At::last_carriage_return && bytes[i] == '\n';
    at_ = step(bytes[i]);
    if (is_last) return i + 1;
  }
  return std::nullopt;
}

HeadScan::At HeadScan::step(char byte) {
  switch (at_) {
    case At::line_start: return begin_line(byte);
    case At::in_line:
      if (byte == '\r') return At::carriage_return;
      return refuse(byte == '\n' ? "a line ends without a carriage return" : "a control character in the head");
    case At::carriage_return:
    case At::last_carriage_return:
      if (byte != '\n') return refuse("a carriage return that ends no line");
      is_first_line_ = false;
      return At::line_start;
  }
  return at_;
}

HeadScan::At HeadScan::begin_line(char byte) {
  if (byte == '\r') return is_first_line_ ? refuse("the request begins with an empty line") : At::last_carriage_return;
  if (byte == '\n') return refuse("a line ends without a carriage return");
  if (byte == ' ' || byte == '\t') return refuse("a line begins with a blank; folded headers are not accepted");
  return is_plain(byte) ? At::in_line : refuse("a control character in the head");
}

HeadScan::At HeadScan::refuse(std::string_view fault) {
  fault_ = fault;
  return at_;
}

}  // namespace carillon::http
