#include "calendar/zone_similarity.hpp"

#include <algorithm>
#include <array>

namespace carillon {
namespace {

// Longer than every zone name; a longer text is as far away as can be.
constexpr std::size_t length_max = 64;

using Row = std::array<std::size_t, length_max + 1>;

constexpr char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == ' ' || c == '-' ? '_' : c;
}

bool same(char one, char other) { return folded(one) == folded(other); }

}  // namespace

bool equals_loosely(std::string_view one, std::string_view other) { return std::ranges::equal(one, other, same); }

std::size_t edit_distance(std::string_view one, std::string_view other, std::size_t limit) {
  const std::size_t longer = std::max(one.size(), other.size());
  if (longer > length_max || longer - std::min(one.size(), other.size()) > limit) return limit + 1;

  Row before_last{};
  Row last{};
  Row row{};
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = i;
    std::size_t least = row[0];
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (same(one[i - 1], other[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool are_swapped = i > 1 && j > 1 && same(one[i - 1], other[j - 2]) && same(one[i - 2], other[j - 1]);
      if (are_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    // A swap looks two rows back and still adds one, so no later row can come below the least of this one.
    if (least > limit) return limit + 1;
  }
  return row[other.size()];
}

}  // namespace carillon
