#include "service/refusal.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

Error store_error(std::string_view rule, ErrorCode code = ErrorCode::unavailable) {
  Error error = fail(code, "/srv/data/carillon.db: no").error();
  error.rule = rule;
  return error;
}

TEST(Refusal, of_a_store_whose_disk_is_full_says_so) {
  const Refusal refusal{store_error("store-full")};

  EXPECT_EQ(refusal.kind, Refusal::Kind::full);
  EXPECT_EQ(refusal.code, "store-full");
  EXPECT_EQ(refusal.message, "the disk of the store is full");
  EXPECT_NE(refusal.hint, "");
}

TEST(Refusal, of_a_store_that_fails_otherwise_is_for_now_and_says_why) {
  for (const char* rule : {"store-io", "store-locked", "store-unwritable"}) {
    const Refusal refusal{store_error(rule)};

    EXPECT_EQ(refusal.kind, Refusal::Kind::unavailable);
    EXPECT_EQ(refusal.code, rule);
    EXPECT_FALSE(refusal.message.contains("/srv")) << "files are for the log";
  }
  EXPECT_EQ(Refusal{store_error("store-damaged", ErrorCode::corrupt)}.kind, Refusal::Kind::unavailable);
}

}  // namespace
}  // namespace carillon
