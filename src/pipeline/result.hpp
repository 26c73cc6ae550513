#pragma once

#include "pipeline/pipeline.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carillon::pipeline {

/// What became of one item.
struct ItemResult {
  Item input;
  boost::json::object output;           // every field null if it failed
  std::optional<std::string> raw_text;  // the answer, where no fields were asked for
  std::string error;                    // empty: it succeeded
  [[nodiscard]] bool is_success() const { return error.empty(); }
  friend bool operator==(const ItemResult&, const ItemResult&) = default;
};

struct Counts {
  std::size_t total = 0;
  std::size_t succeeded = 0;
  [[nodiscard]] std::size_t failed() const { return total - succeeded; }
  friend bool operator==(const Counts&, const Counts&) = default;
};

/// How many errors are told apart; further ones are not kept.
inline constexpr std::size_t different_errors_max = 100;

/// How a run ends by its items: an error if more of them failed than are tolerated. `different_errors` are those of the
/// failed items, each once.
[[nodiscard]] std::optional<std::string> error_of(const Counts& counts, const Tolerance& tolerate,
                                                  const std::vector<std::string>& different_errors);

}  // namespace carillon::pipeline
