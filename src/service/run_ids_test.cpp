#include "service/run_ids.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace carillon {
namespace {

constexpr RunIds::Key key{1, 2, 3};

TEST(RunIds, lead_back_to_their_runs) {
  const RunIds ids{key};
  std::set<std::string> seen;
  for (const std::int64_t number : std::array<std::int64_t, 7>{1, 2, 3, 31, 32, 1'000'000'007, INT64_MAX}) {
    const std::string id = ids.id_of(Seq{number});
    EXPECT_EQ(ids.run_of(id), Seq{number});
    EXPECT_TRUE(seen.insert(id).second);
    EXPECT_EQ(id.size(), 15U);
  }
}

TEST(RunIds, of_neighbours_have_nothing_in_common) {
  const RunIds ids{key};
  const std::string one = ids.id_of(Seq{1'000});
  const std::string two = ids.id_of(Seq{1'001});

  int equal = 0;
  for (std::size_t i = 2; i < one.size(); ++i) equal += one[i] == two[i];

  EXPECT_LT(equal, 5);
  EXPECT_NE(one, (RunIds{RunIds::Key{9}}.id_of(Seq{1'000})));
}

TEST(RunIds, that_are_none_of_ours_are_told) {
  const RunIds ids{key};
  for (const auto* text :
       {"", "r-", "r-0", "r-zzzzzzzzzzzzz", "x-0000000000000", "r-000000000000u", "r-00000000000000"})
    EXPECT_EQ(ids.run_of(text), std::nullopt) << text;
}

}  // namespace
}  // namespace carillon
