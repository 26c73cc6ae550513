#include "calendar/zone_similarity.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace carillon {
namespace {

// Longer than every zone name; a longer text is as far away as can be.
constexpr std::size_t length_max = 64;

using Row = std::array<std::uint8_t, length_max + 1>;

constexpr char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == ' ' || c == '-' ? '_' : c;
}

bool same(char one, char other) { return folded(one) == folded(other); }

}  // namespace

bool equals_loosely(std::string_view one, std::string_view other) { return std::ranges::equal(one, other, same); }

std::size_t edit_distance(std::string_view one, std::string_view other, std::size_t limit) {
  const std::size_t longer = std::max(one.size(), other.size());
  const std::size_t far = limit + 1;
  if (longer > length_max || longer - std::min(one.size(), other.size()) > limit) return far;

  // row[j] is the distance from the first i letters of one text to the first j of the other. Where i and j differ by
  // more than the limit the distance does too, so only a band around the diagonal is looked at.
  Row before_last{};
  Row last{};
  Row row{};
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = static_cast<std::uint8_t>(std::min(j, far));
  for (std::size_t i = 1; i <= one.size(); ++i) {
    before_last = last;
    last = row;
    row.fill(static_cast<std::uint8_t>(far));
    if (i <= limit) row[0] = static_cast<std::uint8_t>(i);
    std::size_t least = row[0];
    for (std::size_t j = i > limit ? i - limit : 1; j <= std::min(other.size(), i + limit); ++j) {
      std::size_t edits = last[j - 1] + (same(one[i - 1], other[j - 1]) ? 0U : 1U);
      edits = std::min({edits, last[j] + std::size_t{1}, row[j - 1] + std::size_t{1}, far});
      const bool are_swapped = i > 1 && j > 1 && same(one[i - 1], other[j - 2]) && same(one[i - 2], other[j - 1]);
      if (are_swapped) edits = std::min(edits, before_last[j - 2] + std::size_t{1});
      row[j] = static_cast<std::uint8_t>(edits);
      least = std::min(least, edits);
    }
    // A swap looks two rows back and still adds one, so no later row can come below the least of this one.
    if (least > limit) return far;
  }
  return row[other.size()];
}

}  // namespace carillon
