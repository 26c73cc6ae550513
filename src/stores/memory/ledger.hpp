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

  [[nodiscard]] std::vector<LedgerRecord> read(Seq after, std::size_t count_max) const;
  [[nodiscard]] std::size_t line_count() const { return line_count_; }

 private:
  [[nodiscard]] static std::size_t index_of(Seq seq) { return static_cast<std::size_t>(seq) - 1; }

  std::deque<std::optional<LedgerRecord>> lines_;
  std::size_t line_count_ = 0;
};

}  // namespace carillon::memory
