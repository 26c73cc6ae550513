#include "zones/tzif.hpp"

#include <gtest/gtest.h>

#include <string>

namespace carillon {
namespace {

/// A header with the counts of leap seconds, times, types and characters, each below 128.
std::string header(char version, int leaps, int times, int types, int characters) {
  std::string bytes = "TZif";
  bytes += version;
  bytes.resize(44);
  bytes[31] = static_cast<char>(leaps);
  bytes[35] = static_cast<char>(times);
  bytes[39] = static_cast<char>(types);
  bytes[43] = static_cast<char>(characters);
  return bytes;
}

TEST(Tzif, a_file_of_version_1_is_one_block) {
  const std::string file = header('\0', 0, 2, 1, 4) + std::string(2 * 5 + 6 + 4, 'x');

  EXPECT_TRUE(is_whole_tzif(file));
  EXPECT_FALSE(is_whole_tzif(file.substr(0, file.size() - 1)));
}

TEST(Tzif, a_file_of_version_2_has_a_second_block_with_longer_times) {
  const std::string first = header('2', 1, 0, 1, 4) + std::string(8 + 6 + 4, 'x');
  const std::string second = header('2', 1, 2, 1, 4) + std::string(12 + 2 * 9 + 6 + 4, 'x');

  EXPECT_TRUE(is_whole_tzif(first + second + "\nUTC0\n"));
  EXPECT_FALSE(is_whole_tzif(first + second.substr(0, second.size() - 1)));
  EXPECT_FALSE(is_whole_tzif(first));
}

TEST(Tzif, a_header_that_asks_for_more_than_the_file_holds_is_refused) {
  std::string file = header('\0', 0, 0, 1, 4) + std::string(10, 'x');
  file.replace(32, 4, "\xff\xff\xff\xff");

  EXPECT_FALSE(is_whole_tzif(file));
}

TEST(Tzif, other_bytes_are_refused) {
  EXPECT_FALSE(is_whole_tzif(""));
  EXPECT_FALSE(is_whole_tzif("TZif"));
  EXPECT_FALSE(is_whole_tzif(std::string(1000, 'x')));
}

}  // namespace
}  // namespace carillon
