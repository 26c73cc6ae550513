#include "stores/sqlite/small_blocks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace carillon::sqlite {
namespace {

TEST(SmallBlocks, gives_a_returned_block_to_the_next_who_needs_its_size) {
  void* const first = take_block(300);
  return_block(first);

  void* const second = take_block(310);

  EXPECT_EQ(second, first);
  EXPECT_GE(size_of_block(second), 310U);
  return_block(second);
}

TEST(SmallBlocks, are_aligned_and_hold_what_was_asked_for) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{64}, std::size_t{65}, small_block_size_max,
                                 small_block_size_max + 1, std::size_t{100'000}}) {
    void* const block = take_block(size);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0U);
    EXPECT_GE(size_of_block(block), size);
    EXPECT_EQ(size_of_block(block), rounded_block_size(size));
    std::memset(block, 1, size_of_block(block));
    return_block(block);
  }
}

TEST(SmallBlocks, keep_their_contents_when_they_grow_and_shrink) {
  constexpr std::string_view text = "what stands in a block";
  void* block = take_block(text.size());
  std::memcpy(block, text.data(), text.size());

  for (const std::size_t size : {std::size_t{1'000}, std::size_t{5'000}, std::size_t{50'000}, std::size_t{100}}) {
    block = resize_block(block, size);
    ASSERT_NE(block, nullptr);
    EXPECT_GE(size_of_block(block), size);
    EXPECT_EQ(std::memcmp(block, text.data(), text.size()), 0);
  }
  return_block(block);
}

TEST(SmallBlocks, may_be_returned_by_another_thread_than_took_them) {
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < 2 * small_block_count_max; ++i) blocks.push_back(take_block(500));

  std::jthread{[&] {
    for (void* block : blocks) return_block(block);
  }}.join();

  void* const own = take_block(500);
  EXPECT_NE(own, nullptr);
  return_block(own);
}

}  // namespace
}  // namespace carillon::sqlite
