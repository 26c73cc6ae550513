#include "stores/memory/ledger.hpp"

#include <algorithm>
#include <utility>

namespace carillon::memory {

Seq Ledger::append(LedgerRecord record) {
  const Seq seq = reserve();
  std::visit([seq](auto& line) { line.head.seq = seq; }, record);
  lines_.back() = std::move(record);
  ++line_count_;
  return seq;
}

Seq Ledger::reserve() {
  lines_.emplace_back();
  return static_cast<Seq>(lines_.size());
}

std::vector<LedgerRecord> Ledger::read(Seq after, std::size_t count_max) const {
  std::vector<LedgerRecord> found;
  const auto begin = static_cast<std::size_t>(std::max(after, Seq{0}));
  for (std::size_t index = begin; index < lines_.size() && found.size() < count_max; ++index)
    if (lines_[index]) found.push_back(*lines_[index]);
  return found;
}

}  // namespace carillon::memory
