#pragma once

#include <expected>
#include <string>

namespace carillon {

/// What a program may act on; the message is for people.
enum class FailureCode {
  invalid_argument,  // never to be had as asked for: the message says what is wrong, the hint what to write instead
  not_found,
  conflict,     // something stands in the way: an id or a folder is taken, a run has ended already
  unavailable,  // the store cannot be read or written now; a change may or may not have been made
  corrupt,      // what is stored is not what was written
};

struct Failure {
  FailureCode code = FailureCode::invalid_argument;
  std::string message;  // one sentence, with the offending value
  std::string hint;     // what to do about it; may be empty
};

/// A value, or why there is none. This library throws nothing of its own, but for what says so.
template <typename T = void>
using Expected = std::expected<T, Failure>;

}  // namespace carillon
