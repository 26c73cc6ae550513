#pragma once

#include "ports/run_progress.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// What is known of the items of a run: of an attempt under way as it told last, else of the newest one that has told
/// its result.
struct ItemFacts {
  std::int64_t done = 0;  // items with a result, failed ones included
  std::optional<std::int64_t> failed{};
  std::optional<std::int64_t> total{};
  std::optional<RunUsage> usage{};
  std::optional<std::int64_t> possibly_paid_twice{};
  std::string result_file{};              // empty: there is none
  std::optional<RunProgress> progress{};  // of an attempt under way
};

/// Those that a run has left with its result (JSON), if it has told of items.
[[nodiscard]] std::optional<ItemFacts> item_facts_in(std::string_view result);

/// Those of an attempt under way.
[[nodiscard]] ItemFacts item_facts_of(const RunProgress& progress);

}  // namespace carillon
