#pragma once

#include <expected>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

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

/// What `Expected::value` throws where there is none. `what()` is the failure's message, with the hint in brackets if
/// there is one.
class FailureException : public std::runtime_error {
 public:
  explicit FailureException(Failure failure)
      : std::runtime_error{failure.hint.empty() ? failure.message : failure.message + " (" + failure.hint + ")"},
        failure_{std::move(failure)} {}

  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }

 private:
  Failure failure_;
};

/// A value, or why there is none: a std::expected whose `value()` throws a FailureException. This library throws no
/// other exceptions of its own, and no others except where a comment says so.
template <typename T = void>
class Expected : public std::expected<T, Failure> {
  using Base = std::expected<T, Failure>;

 public:
  using Base::Base;
  Expected() = default;
  Expected(Base base) : Base{std::move(base)} {}

  [[nodiscard]] T& value() & { return check(), **this; }
  [[nodiscard]] const T& value() const& { return check(), **this; }
  [[nodiscard]] T&& value() && { return check(), *std::move(*this); }

 private:
  void check() const {
    if (!this->has_value()) throw FailureException{this->error()};
  }
};

template <>
class Expected<void> : public std::expected<void, Failure> {
  using Base = std::expected<void, Failure>;

 public:
  using Base::Base;
  Expected() = default;
  Expected(Base base) : Base{std::move(base)} {}

  void value() const {
    if (!has_value()) throw FailureException{error()};
  }
};

}  // namespace carillon
