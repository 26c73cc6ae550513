#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace carillon::rows {

/// Writes numbers, small ones in few bytes: seven bits each, the eighth says that more follow.
class ByteWriter {
 public:
  /// Appends to `out`, which may have room from earlier use.
  explicit ByteWriter(std::string& out) : out_{out} {}

  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }
  /// Numbers near zero on either side are short.
  void signed_number(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }

 private:
  std::string& out_;
};

/// Reads what a ByteWriter wrote. Whatever the bytes are, it stays inside them.
class ByteReader {
 public:
  explicit ByteReader(std::string_view in) : in_{in} {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == in_.size()) break;
      const auto byte = static_cast<unsigned char>(in_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    is_sound_ = false;
    return 0;
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  double real() { return std::bit_cast<double>(number()); }

  /// Whether all that was asked for was there.
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// Whether all that was asked for was there, and nothing else is.
  [[nodiscard]] bool is_done() const { return is_sound_ && at_ == in_.size(); }

 private:
  std::string_view in_;
  std::size_t at_ = 0;
  bool is_sound_ = true;
};

}  // namespace carillon::rows
