#include "stores/sqlite/small_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace carillon::sqlite {
namespace {

constexpr std::size_t step = 64;
constexpr std::size_t size_count = small_block_size_max / step;

/// Stands before each block.
struct BlockHead {
  std::size_t size;
  BlockHead* next;  // while it is kept
};
static_assert(sizeof(BlockHead) % alignof(std::max_align_t) == 0);

struct KeptBlocks {
  BlockHead* first = nullptr;
  std::size_t count = 0;
};

/// Nothing here is made or destroyed with its thread, so that SQLite may be called while other objects of the thread
/// are destroyed.
struct ThreadBlocks {
  std::array<KeptBlocks, size_count> sizes{};
  enum class Stage { begins, keeps, ends } stage = Stage::begins;
};
constinit thread_local ThreadBlocks own_blocks;

/// Gives everything back when the thread ends.
struct EndOfThread {
  EndOfThread() { own_blocks.stage = ThreadBlocks::Stage::keeps; }
  EndOfThread(const EndOfThread&) = delete;
  EndOfThread& operator=(const EndOfThread&) = delete;
  ~EndOfThread() {
    own_blocks.stage = ThreadBlocks::Stage::ends;
    for (KeptBlocks& kept : own_blocks.sizes) {
      while (kept.first != nullptr) {
        BlockHead* const head = kept.first;
        kept.first = head->next;
        std::free(head);
      }
      kept.count = 0;
    }
  }
};

void watch_end_of_thread() { static thread_local const EndOfThread end; }

KeptBlocks& kept_of(std::size_t size) { return own_blocks.sizes[size / step - 1]; }

BlockHead* head_of(void* block) { return static_cast<BlockHead*>(block) - 1; }
const BlockHead* head_of(const void* block) { return static_cast<const BlockHead*>(block) - 1; }

}  // namespace

std::size_t rounded_block_size(std::size_t size) { return std::max(step, (size + step - 1) / step * step); }

void* take_block(std::size_t size) {
  size = rounded_block_size(size);
  if (size <= small_block_size_max) {
    KeptBlocks& kept = kept_of(size);
    if (BlockHead* const head = kept.first; head != nullptr) {
      kept.first = head->next;
      --kept.count;
      return head + 1;
    }
  }
  auto* const head = static_cast<BlockHead*>(std::malloc(sizeof(BlockHead) + size));
  if (head == nullptr) return nullptr;
  head->size = size;
  return head + 1;
}

void return_block(void* block) {
  if (block == nullptr) return;
  BlockHead* const head = head_of(block);
  if (own_blocks.stage == ThreadBlocks::Stage::begins) watch_end_of_thread();
  if (head->size > small_block_size_max || own_blocks.stage == ThreadBlocks::Stage::ends) return std::free(head);
  KeptBlocks& kept = kept_of(head->size);
  if (kept.count == small_block_count_max) return std::free(head);
  head->next = kept.first;
  kept.first = head;
  ++kept.count;
}

void* resize_block(void* block, std::size_t size) {
  if (block == nullptr) return take_block(size);
  const std::size_t size_now = size_of_block(block);
  const std::size_t size_then = rounded_block_size(size);
  if (size_then == size_now) return block;
  if (size_now > small_block_size_max && size_then > small_block_size_max) {
    auto* const head = static_cast<BlockHead*>(std::realloc(head_of(block), sizeof(BlockHead) + size_then));
    if (head == nullptr) return nullptr;
    head->size = size_then;
    return head + 1;
  }
  void* const other = take_block(size);
  if (other == nullptr) return nullptr;
  std::memcpy(other, block, std::min(size_now, size_then));
  return_block(block);
  return other;
}

std::size_t size_of_block(const void* block) { return head_of(block)->size; }

}  // namespace carillon::sqlite
