#include "base/utf8.hpp"

#include "base/assertion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace carillon {
namespace {

/// The lead bytes that share a length, and what their second byte may be: that byte tells overlong forms, surrogates
/// and values beyond U+10FFFF from characters.
struct LeadRange {
  unsigned char first;
  unsigned char last;
  std::size_t length;
  unsigned char second_min;
  unsigned char second_max;
};

constexpr std::array<LeadRange, 8> lead_ranges{{{0xC2, 0xDF, 2, 0x80, 0xBF},
                                                {0xE0, 0xE0, 3, 0xA0, 0xBF},
                                                {0xE1, 0xEC, 3, 0x80, 0xBF},
                                                {0xED, 0xED, 3, 0x80, 0x9F},
                                                {0xEE, 0xEF, 3, 0x80, 0xBF},
                                                {0xF0, 0xF0, 4, 0x90, 0xBF},
                                                {0xF1, 0xF3, 4, 0x80, 0xBF},
                                                {0xF4, 0xF4, 4, 0x80, 0x8F}}};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080;

std::uint64_t eight_at(const char* place) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, place, sizeof eight);
  return eight;
}

/// How many bytes at the front of the text are ASCII. Most texts are nothing else, so many are looked at together.
std::size_t ascii_length(std::string_view text) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  const char* const begin = text.data();
  std::size_t length = 0;
  for (; text.size() - length >= 4 * word; length += 4 * word) {
    const char* const place = begin + length;
    const std::uint64_t all =
        eight_at(place) | eight_at(place + word) | eight_at(place + 2 * word) | eight_at(place + 3 * word);
    if ((all & high_bits) != 0) break;
  }
  for (; text.size() - length >= word; length += word)
    if ((eight_at(begin + length) & high_bits) != 0) break;
  while (length < text.size() && static_cast<unsigned char>(text[length]) < 0x80) ++length;
  return length;
}

bool fits(const LeadRange& range, std::string_view text) {
  if (text.size() < range.length) return false;
  const auto second = static_cast<unsigned char>(text[1]);
  return second >= range.second_min && second <= range.second_max &&
         std::ranges::all_of(text.substr(2, range.length - 2), is_continuation);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return 1;
  const auto range = std::ranges::find_if(
      lead_ranges, [lead](const LeadRange& candidate) { return lead >= candidate.first && lead <= candidate.last; });
  return range != lead_ranges.end() && fits(*range, text) ? range->length : 0;
}

std::optional<std::size_t> find_malformed_utf8(std::string_view text) {
  for (std::size_t offset = ascii_length(text); offset < text.size();) {
    const std::size_t length = utf8_length(text.substr(offset));
    if (length == 0) return offset;
    offset += length;
    offset += ascii_length(text.substr(offset));
  }
  return std::nullopt;
}

std::string shortened(std::string text, std::size_t size_max) {
  constexpr std::size_t mark_size_max = 48;  // with the longest number
  CARILLON_ASSERT(size_max >= 64);
  if (text.size() <= size_max) return text;
  std::size_t kept = size_max - mark_size_max;
  while (kept > 0 && is_continuation(text[kept])) --kept;
  const std::size_t left_out = text.size() - kept;
  text.resize(kept);
  return text += fmt::format("… ({} bytes left out)", left_out);
}

}  // namespace carillon
