#pragma once

#include <expected>
#include <string>

namespace carillon {

/// What went wrong, for a program to act on. The message is for people.
enum class FailureCode {
  invalid_argument,  // will not work however often it is tried; the message says what is wrong, the hint what to do
  not_found,
  conflict,     // an id or a folder is taken, a run has ended already, a schedule was changed meanwhile
  unavailable,  // the store cannot be read or written now; a change may or may not have been made
  corrupt,      // what is stored is not what was written
};

struct Failure {
  FailureCode code = FailureCode::invalid_argument;
  std::string message;  // one sentence, with the offending value
  std::string hint;     // what to do about it; may be empty
};

/// A value, or why there is none. This library throws no exceptions of its own, except where a comment says so.
template <typename T = void>
using Expected = std::expected<T, Failure>;

}  // namespace carillon
