#pragma once

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace carillon::pipeline {

/// The next row of the input; none after the last.
using NextItem = std::function<Result<std::optional<Item>>()>;
/// Opens the input at its first row. It may be called several times, since an AI filter has to see all items before the
/// first one is mapped; the rows must be the same each time.
using OpenInput = std::function<Result<NextItem>()>;
/// Rows that are in memory.
[[nodiscard]] OpenInput input_of(std::vector<Item> items);

/// The items of an input one after the other: as many as its limit allows, over its parameters.
class ItemStream {
 public:
  ItemStream(const Input& input, OpenInput open) : input_{input}, open_{std::move(open)} {}

  /// Opens the input when the first item is asked for. The message of an error begins with "Failed to read input".
  [[nodiscard]] Result<std::optional<Item>> next();
  /// Goes back to the first item.
  void rewind();
  /// The number of items given since the beginning.
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  const Input& input_;
  OpenInput open_;
  NextItem rows_;
  std::size_t count_ = 0;
  bool is_at_end_ = false;
};

}  // namespace carillon::pipeline
