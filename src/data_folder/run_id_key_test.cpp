#include "data_folder/run_id_key.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace carillon {
namespace {

TEST(RunIdKey, keeps_ids_the_same_across_lives) {
  const TemporaryFolder folder;
  const auto first = open_run_ids(folder.path() / "key");
  ASSERT_TRUE(first);

  const auto second = open_run_ids(folder.path() / "key");

  ASSERT_TRUE(second);
  EXPECT_EQ(first->id_of(Seq{5}), second->id_of(Seq{5}));
}

TEST(RunIdKey, that_is_cut_off_is_refused) {
  const TemporaryFolder folder;
  std::ofstream{folder.path() / "key"} << "short";

  const auto ids = open_run_ids(folder.path() / "key");

  ASSERT_FALSE(ids);
  EXPECT_EQ(ids.error().code, ErrorCode::corrupt);
}

}  // namespace
}  // namespace carillon
