#include "stores/logs/tail_ring.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace carillon {
namespace {

constexpr OutputStream out = OutputStream::out;
constexpr OutputStream error = OutputStream::error;

TEST(TailRing, keeps_the_last_bytes) {
  TailMemory memory{1'000'000};
  TailRing ring{memory, 10};

  ring.append(out, "abcdefgh");
  ring.append(out, "1234");

  EXPECT_EQ(ring.text(), "cdefgh1234");
  EXPECT_EQ(ring.dropped_count(), 2);
}

TEST(TailRing, keeps_the_end_of_more_than_it_can_hold) {
  TailMemory memory{1'000'000};
  TailRing ring{memory, 4};
  ring.append(out, "ab");

  ring.append(out, "0123456789");

  EXPECT_EQ(ring.text(), "6789");
  EXPECT_EQ(ring.dropped_count(), 8);
}

TEST(TailRing, knows_which_bytes_came_from_which_stream) {
  TailMemory memory{1'000'000};
  TailRing ring{memory, 6};

  ring.append(out, "aaaa");
  ring.append(error, "bb");
  ring.append(error, "b");
  ring.append(out, "c");

  ASSERT_EQ(ring.stretches().size(), 3U);
  EXPECT_EQ(ring.text(), "aabbbc");
  EXPECT_EQ(ring.stretches()[0].size, 2U);
  EXPECT_EQ(ring.stretches()[1].stream, error);
  EXPECT_EQ(ring.stretches()[1].size, 3U);
}

TEST(TailRing, holds_few_lines_when_the_shared_memory_is_used_up) {
  TailMemory memory{64 * 1024};
  TailRing greedy{memory, 64 * 1024};
  greedy.append(out, std::string(64 * 1024, 'x'));
  TailRing modest{memory, 64 * 1024};

  modest.append(out, std::string(100'000, 'y') + "z");

  EXPECT_EQ(greedy.size(), 64U * 1024U);
  EXPECT_EQ(modest.size(), 4U * 1024U);
  EXPECT_EQ(modest.dropped_count(), 100'001 - 4 * 1024);
  EXPECT_TRUE(modest.text().ends_with("yz"));
}

TEST(TailRing, gives_shared_memory_back) {
  TailMemory memory{64 * 1024};
  {
    TailRing ring{memory, 64 * 1024};
    ring.append(out, std::string(64 * 1024, 'x'));
    EXPECT_FALSE(memory.take(1));
  }
  EXPECT_TRUE(memory.take(64 * 1024));
}

TEST(TailRing, is_bounded_also_for_a_stream_that_changes_with_every_byte) {
  TailMemory memory{1'000'000};
  TailRing ring{memory, 100'000};

  for (int i = 0; i < 50'000; ++i) ring.append(i % 2 == 0 ? out : error, "x");

  EXPECT_EQ(ring.stretches().size(), 8U * 1024U);
  EXPECT_EQ(static_cast<std::int64_t>(ring.size()) + ring.dropped_count(), 50'000);
}

TEST(TailRing, that_leaves_bytes_out_begins_behind_them) {
  TailMemory memory{1'000'000};
  TailRing ring{memory, 100};
  ring.append(out, "before");

  ring.skip(10);
  ring.append(out, "after");

  EXPECT_EQ(ring.text(), "after");
  EXPECT_EQ(ring.dropped_count(), 16);
}

RC_GTEST_PROP(TailRing, holds_the_end_of_everything_printed, (std::vector<std::string> chunks)) {
  const auto size_max = *rc::gen::inRange<std::size_t>(0, 200);
  TailMemory memory{1'000'000};
  TailRing ring{memory, size_max};
  std::string all;

  for (const std::string& chunk : chunks) {
    ring.append(out, chunk);
    all += chunk;
    const std::size_t kept = std::min(all.size(), size_max);
    RC_ASSERT(ring.text() == all.substr(all.size() - kept));
    RC_ASSERT(ring.dropped_count() == static_cast<std::int64_t>(all.size() - kept));
  }
}

}  // namespace
}  // namespace carillon
