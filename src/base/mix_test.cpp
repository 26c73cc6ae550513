#include "base/mix.hpp"

#include <gtest/gtest.h>

#include <set>

namespace carillon {
namespace {

// The first numbers of the reference implementation, seeded with 1234567.
TEST(Mix, draws_the_published_numbers) {
  std::uint64_t state = 1'234'567;
  for (const std::uint64_t expected :
       {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL, 4593380528125082431ULL}) {
    EXPECT_EQ(splitmix(state), expected);
    state += golden_multiplier;
  }
}

TEST(Mix, spreads_neighbours_over_the_high_bits) {
  std::set<std::uint64_t> sixteenths;
  for (std::uint64_t number = 1; number <= 32; ++number) sixteenths.insert(spread(number) >> 60);

  EXPECT_EQ(sixteenths.size(), 16U);
  EXPECT_EQ(spread(0), 0U);
  EXPECT_EQ(spread(1), golden_multiplier);
}

}  // namespace
}  // namespace carillon
