#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// One term of a search: `state:paused,done`, `name~report`, `-label:team=data`, or a word without a qualifier.
struct SearchTerm {
  std::size_t position = 0;        // of its first byte in the text
  std::size_t value_position = 0;  // of its value
  bool is_negated = false;
  std::string key{};                  // empty: a word
  bool is_contained = false;          // `~`: the value is a part of what is looked for
  std::vector<std::string> values{};  // at least one
};

/// How long a search may be.
inline constexpr std::size_t search_size_max = 2'000;

/// Takes a search apart. Terms stand between spaces and must all fit; values stand between commas and one of them must
/// fit; a value with spaces, commas or colons stands in double quotes. Errors (rule `invalid-filter`) have the position
/// of the fault.
[[nodiscard]] Result<std::vector<SearchTerm>> parse_search(std::string_view text);

/// What is wrong with a search, at a byte of it.
[[nodiscard]] Error search_fault(std::size_t position, std::string message, std::string hint);

}  // namespace carillon
