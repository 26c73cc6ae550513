#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace carillon::testing {

/// Sorts by a key and leaves equals in their order. Clang warns of what libstdc++ 12 does inside std::stable_sort.
template <typename Item, typename Key, typename Less = std::ranges::less>
void sort_by(std::vector<Item>& items, Key key, Less less = {}) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (less(std::invoke(key, items[a]), std::invoke(key, items[b]))) return true;
    if (less(std::invoke(key, items[b]), std::invoke(key, items[a]))) return false;
    return a < b;
  });
  std::vector<Item> sorted;
  sorted.reserve(items.size());
  for (const std::size_t index : order) sorted.push_back(std::move(items[index]));
  items = std::move(sorted);
}

}  // namespace carillon::testing
