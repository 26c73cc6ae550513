#pragma once

#include "engine/keys.hpp"
#include "engine/ledger_record.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace carillon::memory {

/// All lines in order; a line's place is its seq.
class Ledger {
 public:
  /// Adds a line and gives it its seq.
  Seq append(LedgerRecord record);

  /// A seq for something that has no line.
  Seq reserve();

  /// The line of that seq, which has one of this kind.
  template <typename Line>
  [[nodiscard]] Line& line(Seq seq) {
    return std::get<Line>(*lines_[index_of(seq)]);
  }

  /// The line of that seq, null if there is none.
  [[nodiscard]] const LedgerRecord* find(Seq seq) const;
  /// The first line after a seq, null if there is none.
  [[nodiscard]] const LedgerRecord* next(Seq after) const;

  [[nodiscard]] std::vector<LedgerRecord> read(Seq after, std::size_t count_max) const;
  void forget(Seq seq);
  [[nodiscard]] std::size_t line_count() const { return line_count_; }

 private:
  [[nodiscard]] std::size_t index_of(Seq seq) const { return static_cast<std::size_t>(seq) - 1 - forgotten_count_; }

  std::deque<std::optional<LedgerRecord>> lines_;
  std::size_t forgotten_count_ = 0;  // at the beginning, where nothing is left
  std::size_t line_count_ = 0;
};

}  // namespace carillon::memory
