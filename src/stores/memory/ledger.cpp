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
  return static_cast<Seq>(forgotten_count_ + lines_.size());
}

const LedgerRecord* Ledger::find(Seq seq) const {
  const auto number = static_cast<std::size_t>(std::max(seq, Seq{0}));
  if (number <= forgotten_count_ || index_of(seq) >= lines_.size()) return nullptr;
  const auto& line = lines_[index_of(seq)];
  return line ? &*line : nullptr;
}

const LedgerRecord* Ledger::next(Seq after) const {
  const auto number = static_cast<std::size_t>(std::max(after, Seq{0}));
  for (std::size_t index = std::max(number, forgotten_count_) - forgotten_count_; index < lines_.size(); ++index)
    if (lines_[index]) return &*lines_[index];
  return nullptr;
}

std::vector<LedgerRecord> Ledger::read(Seq after, std::size_t count_max) const {
  std::vector<LedgerRecord> found;
  for (const auto* line = next(after); line != nullptr && found.size() < count_max; line = next(seq_of(*line)))
    found.push_back(*line);
  return found;
}

void Ledger::forget(Seq seq) {
  if (find(seq) == nullptr) return;
  lines_[index_of(seq)].reset();
  --line_count_;
  // The last place stays, whatever becomes of it: seqs are given out once.
  while (lines_.size() > 1 && !lines_.front()) {
    lines_.pop_front();
    ++forgotten_count_;
  }
}

}  // namespace carillon::memory
