#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/words.hpp"

#include <string_view>

namespace carillon {

/// The error of a command that the schedule's status does not allow.
[[nodiscard]] inline Error wrong_status(std::string_view verb, ScheduleStatus status) {
  Error error = fail(ErrorCode::invalid_argument, "Cannot {} schedule with status '{}'", verb, to_text(status)).error();
  error.rule = "wrong-status";
  return error;
}

/// The error of a command with a time that is not possible.
[[nodiscard]] inline Error wrong_request(std::string_view member, std::string_view why, Instant given) {
  return fail(ErrorCode::invalid_argument, "{}: {} is {}", why, member, to_text(given)).error();
}

}  // namespace carillon
