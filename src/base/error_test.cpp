#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace carillon {
namespace {

using ::testing::ElementsAre;

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorCode::invalid_argument, "{} is odd", number);
  return number / 2;
}

Result<int> quarter(int number) { return TRY(half(TRY(half(number)))); }

Result<> check_even(int number) {
  static_cast<void>(TRY(half(number)));
  return {};
}

Result<std::string> checked_text(int number) {
  TRY(check_even(number));
  return fmt::format("{}", number);
}

Result<std::unique_ptr<int>> boxed(int number) { return std::make_unique<int>(TRY(half(number))); }

Result<int> unboxed(int number) {
  const std::unique_ptr<int> box = TRY(boxed(number));
  return *box;
}

TEST(Error, fail_formats_the_message_and_keeps_the_code) {
  const Result<int> result = half(3);

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(result.error().message, "3 is odd");
  EXPECT_TRUE(result.error().hint.empty());
  EXPECT_TRUE(result.error().rule.empty());
  EXPECT_FALSE(result.error().position);
}

TEST(Error, try_gives_the_value_through_two_levels) { EXPECT_EQ(quarter(8), 2); }

TEST(Error, try_returns_the_error_of_the_inner_call) { EXPECT_EQ(quarter(7).error().message, "7 is odd"); }

TEST(Error, try_returns_the_error_of_the_outer_call) { EXPECT_EQ(quarter(6).error().message, "3 is odd"); }

TEST(Error, try_passes_where_a_result_has_no_value) { EXPECT_EQ(checked_text(4), "4"); }

TEST(Error, try_returns_the_error_of_a_result_that_has_no_value) {
  EXPECT_EQ(checked_text(5).error().message, "5 is odd");
}

TEST(Error, try_moves_a_value_that_cannot_be_copied) { EXPECT_EQ(unboxed(10), 5); }

TEST(Error, the_context_stands_innermost_first) {
  const auto result = while_doing(while_doing(half(3), "halving {}", 3), "counting {}", "sheep");

  EXPECT_THAT(result.error().context, ElementsAre("halving 3", "counting sheep"));
}

TEST(Error, a_value_gets_no_context) { EXPECT_EQ(while_doing(half(4), "halving {}", 4), 2); }

TEST(Error, a_result_without_value_gets_context_too) {
  EXPECT_TRUE(while_doing(check_even(2), "checking"));
  EXPECT_THAT(while_doing(check_even(1), "checking").error().context, ElementsAre("checking"));
}

TEST(Error, every_code_has_a_word) {
  EXPECT_EQ(to_text(ErrorCode::invalid_argument), "invalid_argument");
  EXPECT_EQ(to_text(ErrorCode::not_found), "not_found");
  EXPECT_EQ(to_text(ErrorCode::conflict), "conflict");
  EXPECT_EQ(to_text(ErrorCode::unavailable), "unavailable");
  EXPECT_EQ(to_text(ErrorCode::corrupt), "corrupt");
}

}  // namespace
}  // namespace carillon
