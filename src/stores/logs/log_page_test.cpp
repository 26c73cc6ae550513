#include "stores/logs/log_page.hpp"

#include "stores/logs/log_text.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

TEST(LogPage, holds_what_was_printed_from_a_byte_on) {
  const LogView log{.head = "0123456789", .tail = "", .is_ended = true};

  const LogPage first = page_of(log, 0, 4);
  const LogPage last = page_of(log, 4, 100);

  EXPECT_EQ(first.bytes, "0123");
  EXPECT_EQ(first.next_offset, 4);
  EXPECT_EQ(first.size, 10);
  EXPECT_FALSE(first.is_at_end);
  EXPECT_FALSE(first.is_truncated);
  EXPECT_EQ(last.bytes, "456789");
  EXPECT_EQ(last.next_offset, 10);
  EXPECT_TRUE(last.is_at_end);
}

TEST(LogPage, goes_on_from_the_head_to_the_tail) {
  const LogView log{.head = "0123", .tail = "456789", .is_ended = false};

  const LogPage page = page_of(log, 2, 5);

  EXPECT_EQ(page.bytes, "23456");
  EXPECT_EQ(page.next_offset, 7);
  EXPECT_FALSE(page.is_truncated);
  EXPECT_EQ(page_of(log, 7, 5).bytes, "789");
  EXPECT_FALSE(page_of(log, 7, 5).is_at_end);
}

TEST(LogPage, has_a_line_in_place_of_what_is_left_out) {
  const LogView log{.head = "head", .left_out_count = 1'000, .tail = "tail", .is_ended = true};

  const LogPage page = page_of(log, 0, 1'000);

  EXPECT_EQ(page.bytes, "head\n… 1000 bytes left out …\ntail");
  EXPECT_EQ(page.next_offset, 4 + 1'000 + 4);
  EXPECT_TRUE(page.is_truncated);
  EXPECT_TRUE(page.is_at_end);
}

TEST(LogPage, of_one_who_follows_says_what_he_missed) {
  const LogView log{.head = "head", .left_out_count = 1'000, .tail = "tail", .is_ended = false};

  const LogPage page = page_of(log, 904, 1'000);

  EXPECT_EQ(page.bytes, "\n… 100 bytes left out …\ntail");
  EXPECT_EQ(page.next_offset, 1'008);
}

TEST(LogPage, ends_before_that_line_when_it_does_not_fit) {
  const LogView log{.head = "head", .left_out_count = 1'000, .tail = "tail", .is_ended = true};

  const LogPage first = page_of(log, 0, 10);
  const LogPage second = page_of(log, first.next_offset, 10);
  const LogPage third = page_of(log, second.next_offset, 10);

  EXPECT_EQ(first.bytes, "head");
  EXPECT_FALSE(first.is_at_end);
  EXPECT_EQ(second.bytes, left_out_text(1'000));
  EXPECT_FALSE(second.is_at_end);
  EXPECT_EQ(third.bytes, "tail");
  EXPECT_TRUE(third.is_at_end);
}

TEST(LogPage, behind_the_end_is_empty) {
  const LogView log{.head = "head", .tail = "", .is_ended = true};

  const LogPage page = page_of(log, 400, 10);

  EXPECT_EQ(page.bytes, "");
  EXPECT_EQ(page.next_offset, 400);
  EXPECT_TRUE(page.is_at_end);
  EXPECT_TRUE(page_of({.head = "", .tail = "", .is_ended = true}, 0, 10).is_at_end);
}

}  // namespace
}  // namespace carillon
