#include "pipeline/item_stream.hpp"

#include "pipeline/question.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace carillon::pipeline {
namespace {

/// An error of the input in the words of the original executor.
Error unreadable(Error error) {
  error.message = fmt::format("Failed to read input: {}", error.message);
  return error;
}

}  // namespace

OpenInput input_of(std::vector<Item> items) {
  // Shared, because the input may be opened again while a former reader is still there.
  return [kept = std::make_shared<const std::vector<Item>>(std::move(items))]() -> Result<NextItem> {
    return NextItem{[kept, next = std::size_t{0}]() mutable -> Result<std::optional<Item>> {
      if (next == kept->size()) return std::nullopt;
      return (*kept)[next++];
    }};
  };
}

Result<std::optional<Item>> ItemStream::next() {
  if (is_at_end_ || (input_.limit && count_ >= static_cast<std::size_t>(*input_.limit))) return std::nullopt;
  if (!rows_) {
    auto opened = open_();
    if (!opened) return std::unexpected(unreadable(std::move(opened).error()));
    rows_ = *std::move(opened);
  }
  auto row = rows_();
  if (!row) return std::unexpected(unreadable(std::move(row).error()));
  is_at_end_ = !row->has_value();
  if (is_at_end_) return std::nullopt;
  ++count_;
  return with_parameters(**row, input_.parameters);
}

void ItemStream::rewind() {
  rows_ = nullptr;
  count_ = 0;
  is_at_end_ = false;
}

}  // namespace carillon::pipeline
