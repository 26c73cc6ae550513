#include "document/reader.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Damerau–Levenshtein without regard to case: letters added, lost, changed, or two neighbours swapped.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  const std::size_t width = to.size() + 1;
  std::vector<std::size_t> before_last(width);
  std::vector<std::size_t> last(width);
  std::vector<std::size_t> row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const std::size_t change = lower(from[i - 1]) == lower(to[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool is_swap =
          i > 1 && j > 1 && lower(from[i - 1]) == lower(to[j - 2]) && lower(from[i - 2]) == lower(to[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[to.size()];
}

std::size_t distance_max(std::string_view text) { return std::max(text.size() / 3, std::size_t{1}); }

std::size_t difference(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

}  // namespace

std::string_view nearest_word(std::string_view text, std::span<const std::string_view> words) {
  std::string_view nearest;
  std::size_t nearest_distance = distance_max(text) + 1;
  for (const std::string_view word : words) {
    // The lengths alone rule most words out, and keep a text of megabytes from being compared at all.
    if (difference(word.size(), text.size()) >= nearest_distance) continue;
    const std::size_t distance = edit_distance(text, word);
    if (distance < nearest_distance) {
      nearest = word;
      nearest_distance = distance;
    }
  }
  return nearest;
}

}  // namespace carillon
