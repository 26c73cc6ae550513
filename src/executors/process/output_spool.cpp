#include "executors/process/output_spool.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon {
namespace {

/// What one piece costs beside its bytes: streams that take turns byte by byte must not cost more than they may.
constexpr std::size_t piece_cost = 64;
constexpr std::size_t piece_size_max = 16 * 1024;

/// Adds what fits into one piece, and tells what that costs.
std::size_t add_to(std::deque<OutputSpool::Piece>& pieces, OutputStream stream, std::string_view& bytes) {
  std::size_t cost = 0;
  if (pieces.empty() || pieces.back().stream != stream || pieces.back().bytes.size() >= piece_size_max) {
    pieces.push_back({.stream = stream, .bytes = {}});
    cost = piece_cost;
  }
  std::string& last = pieces.back().bytes;
  const std::string_view part = bytes.substr(0, piece_size_max - last.size());
  last += part;
  bytes.remove_prefix(part.size());
  return cost + part.size();
}

}  // namespace

void OutputSpool::add(OutputStream stream, std::string_view bytes) {
  while (!bytes.empty() && head_size_ < part_size_) {
    std::string_view part = bytes.substr(0, part_size_ - head_size_);
    const std::size_t before = part.size();
    head_size_ += add_to(head_, stream, part);
    bytes.remove_prefix(before - part.size());
  }
  while (!bytes.empty()) {
    tail_size_ += add_to(tail_, stream, bytes);
    while (tail_.size() > 1 && tail_size_ - tail_.front().bytes.size() - piece_cost >= part_size_) {
      left_out_ += tail_.front().bytes.size();
      tail_size_ -= tail_.front().bytes.size() + piece_cost;
      tail_.pop_front();
    }
  }
}

std::vector<OutputSpool::Piece> OutputSpool::pieces() const {
  std::vector<Piece> all{head_.begin(), head_.end()};
  if (left_out_ > 0) {
    all.push_back({.stream = OutputStream::error,
                   .bytes = fmt::format("\n[{} bytes left out, printed while there was no server]\n", left_out_)});
  }
  all.insert(all.end(), tail_.begin(), tail_.end());
  return all;
}

void OutputSpool::clear() { *this = OutputSpool{part_size_}; }

}  // namespace carillon
