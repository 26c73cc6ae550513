#include "calendar/zone_similarity.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

namespace carillon {
namespace {

TEST(Similarity, takes_case_and_the_ways_to_part_words_for_equal) {
  EXPECT_TRUE(equals_loosely("America/New_York", "america/NEW YORK"));
  EXPECT_TRUE(equals_loosely("America/Port-au-Prince", "America/Port_au Prince"));
  EXPECT_FALSE(equals_loosely("America/New_York", "America/NewYork"));
  EXPECT_FALSE(equals_loosely("Etc/GMT+5", "Etc/GMT-5"));
}

TEST(Similarity, counts_letters_added_removed_replaced_and_swapped) {
  struct Case {
    const char* one;
    const char* other;
    std::size_t edits;
  };
  const Case cases[] = {
      {"berlin", "Berlin", 0}, {"berln", "berlin", 1},  {"berlinn", "berlin", 1},
      {"berlim", "berlin", 1}, {"belrin", "berlin", 1}, {"ebrlni", "berlin", 2},
      {"", "abc", 3},          {"abc", "", 3},          {"", "", 0},
      {"abcdef", "uvwxyz", 6},
  };
  for (const auto& [one, other, edits] : cases) EXPECT_EQ(edit_distance(one, other, 10), edits) << one << ' ' << other;
}

TEST(Similarity, of_a_long_text_is_beyond_any_limit) {
  EXPECT_GT(edit_distance(std::string(65, 'x'), std::string(65, 'x'), 3), 3U);
}

RC_GTEST_PROP(Similarity, is_the_same_under_any_limit_that_it_keeps, ()) {
  const auto word = rc::gen::container<std::string>(rc::gen::elementOf(std::string{"ab/_"}));
  const std::string one = *word;
  const std::string other = *word;
  RC_PRE(one.size() <= 30 && other.size() <= 30);
  const std::size_t limit = *rc::gen::inRange<std::size_t>(0, 6);

  const std::size_t exact = edit_distance(one, other, 64);
  const std::size_t bounded = edit_distance(one, other, limit);

  RC_ASSERT(std::min(bounded, limit + 1) == std::min(exact, limit + 1));
}

}  // namespace
}  // namespace carillon
