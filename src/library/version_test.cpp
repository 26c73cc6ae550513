#include <gtest/gtest.h>

#include <carillon/version.hpp>

#include <string>

namespace carillon {
namespace {

TEST(LibraryVersion, has_the_same_parts_as_its_text) {
  const std::string parts = std::to_string(CARILLON_VERSION_MAJOR) + "." + std::to_string(CARILLON_VERSION_MINOR) +
                            "." + std::to_string(CARILLON_VERSION_PATCH);

  EXPECT_EQ(parts, CARILLON_VERSION);
}

}  // namespace
}  // namespace carillon
