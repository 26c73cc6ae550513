#include "main/file_limits.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace carillon {
namespace {

TEST(FileLimits, connections_leave_files_for_the_work_of_the_server) {
  for (const std::size_t limit : {512U, 1024U, 4096U, 65'536U}) {
    for (const std::size_t workers : {1U, 16U, 24U}) {
      const std::size_t connections = connections_within(limit, workers);
      EXPECT_GE(limit - connections, files_needed(workers) - 16) << limit << " " << workers;
    }
  }
}

TEST(FileLimits, there_are_always_some_connections_and_never_more_than_ten_thousand) {
  EXPECT_EQ(connections_within(64, 16), 16U);
  EXPECT_EQ(connections_within(1024, 10'000), 16U);
  EXPECT_EQ(connections_within(1024, 16), 640U);
  EXPECT_EQ(connections_within(1'048'576, 16), 10'000U);
  EXPECT_EQ(connections_within(std::numeric_limits<std::size_t>::max(), 16), 10'000U);
}

}  // namespace
}  // namespace carillon
