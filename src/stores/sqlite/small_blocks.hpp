#pragma once

#include <cstddef>

namespace carillon::sqlite {

// Memory for SQLite, which takes and returns some five small blocks with every statement. What a thread returns it
// keeps for its next statement, a few blocks of each size; the rest goes back to malloc. SQLite has the same of its own
// (lookaside), but not as Debian builds it. May be called from any thread, and a block be returned by another one.

/// Blocks up to this size are kept.
inline constexpr std::size_t small_block_size_max = 2'048;
/// How many of each size (they differ by 64 bytes) a thread keeps.
inline constexpr std::size_t small_block_count_max = 16;

/// Null if there is no memory. The contents of a kept block are not erased.
[[nodiscard]] void* take_block(std::size_t size);
void return_block(void* block);
/// The same block, or another one with the same contents; null if there is no memory, and the old one is left.
[[nodiscard]] void* resize_block(void* block, std::size_t size);
/// How much fits into it: at least what was asked for.
[[nodiscard]] std::size_t size_of_block(const void* block);
/// What `size_of_block` would be.
[[nodiscard]] std::size_t rounded_block_size(std::size_t size);

}  // namespace carillon::sqlite
