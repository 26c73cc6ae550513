#include "library/scheduler_failure.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

TEST(SchedulerFailure, has_a_code_that_a_program_can_act_on) {
  using Kind = Refusal::Kind;
  const auto code_of = [](Kind kind) { return failure_of(Refusal{kind, "code", "sentence"}).code; };

  EXPECT_EQ(code_of(Kind::invalid), FailureCode::invalid_argument);
  EXPECT_EQ(code_of(Kind::wrong_status), FailureCode::invalid_argument);
  EXPECT_EQ(code_of(Kind::not_found), FailureCode::not_found);
  EXPECT_EQ(code_of(Kind::exists), FailureCode::conflict);
  EXPECT_EQ(code_of(Kind::ended), FailureCode::conflict);
  EXPECT_EQ(code_of(Kind::unavailable), FailureCode::unavailable);
  EXPECT_EQ(code_of(Kind::full), FailureCode::unavailable);
  EXPECT_EQ(code_of(Kind::internal), FailureCode::corrupt);
}

TEST(SchedulerFailure, has_the_code_of_an_error_that_became_a_refusal) {
  for (const ErrorCode code : {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::conflict,
                               ErrorCode::unavailable, ErrorCode::corrupt}) {
    const Error error = fail(code, "sentence").error();

    EXPECT_EQ(failure_of(Refusal{error}).code, failure_of(error).code) << static_cast<int>(code);
  }
}

TEST(SchedulerFailure, names_the_cause_that_a_server_would_only_log) {
  Refusal refusal{Refusal::Kind::full, "full", "the disk is full", "free some space"};
  refusal.cause = "state/carillon.db";

  const Failure failure = failure_of(refusal);

  EXPECT_EQ(failure.message, "the disk is full: state/carillon.db");
  EXPECT_EQ(failure.hint, "free some space");
}

TEST(SchedulerFailure, says_what_was_being_done) {
  Error error = fail(ErrorCode::unavailable, "no space").error();
  error.context = {"writing the key"};

  EXPECT_EQ(failure_of(error).message, "no space; while writing the key");
}

TEST(SchedulerFailure, is_thrown_with_its_message_and_its_hint) {
  const Expected<int> number = std::unexpected(
      Failure{.code = FailureCode::conflict, .message = "the folder is taken", .hint = "stop the other"});
  const Expected<> nothing = std::unexpected(Failure{.code = FailureCode::not_found, .message = "gone", .hint = {}});

  try {
    (void)number.value();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const FailureException& thrown) {
    EXPECT_STREQ(thrown.what(), "the folder is taken (stop the other)");
    EXPECT_EQ(thrown.failure().code, FailureCode::conflict);
  }
  EXPECT_THROW(nothing.value(), FailureException);
  EXPECT_EQ(Expected<int>{7}.value(), 7);
  EXPECT_NO_THROW(Expected<>{}.value());
}

}  // namespace
}  // namespace carillon
