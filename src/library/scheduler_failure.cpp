#include "library/scheduler_failure.hpp"

#include <fmt/format.h>

namespace carillon {
namespace {

FailureCode failure_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return FailureCode::invalid_argument;
    case ErrorCode::not_found: return FailureCode::not_found;
    case ErrorCode::conflict: return FailureCode::conflict;
    case ErrorCode::unavailable: return FailureCode::unavailable;
    case ErrorCode::corrupt: return FailureCode::corrupt;
  }
  std::unreachable();
}

FailureCode failure_code_of(Refusal::Kind kind) {
  switch (kind) {
    case Refusal::Kind::malformed:
    case Refusal::Kind::invalid:
    case Refusal::Kind::wrong_status:
    case Refusal::Kind::unauthenticated:
    case Refusal::Kind::forbidden:
    case Refusal::Kind::too_large:
    case Refusal::Kind::wrong_media: return FailureCode::invalid_argument;
    case Refusal::Kind::gone:
    case Refusal::Kind::not_found: return FailureCode::not_found;
    case Refusal::Kind::exists:
    case Refusal::Kind::stale:
    case Refusal::Kind::in_progress:
    case Refusal::Kind::key_reused:
    case Refusal::Kind::ended: return FailureCode::conflict;
    case Refusal::Kind::too_many:
    case Refusal::Kind::unavailable:
    case Refusal::Kind::full: return FailureCode::unavailable;
    case Refusal::Kind::internal: return FailureCode::corrupt;
  }
  std::unreachable();
}

}  // namespace

Failure failure_of(const Error& error) {
  std::string message = error.message;
  for (const std::string& doing : error.context) message += fmt::format("; while {}", doing);
  return {.code = failure_code_of(error.code), .message = std::move(message), .hint = error.hint};
}

Failure failure_of(const Refusal& refusal) {
  Failure failure{.code = failure_code_of(refusal.kind), .message = refusal.message, .hint = refusal.hint};
  if (!refusal.cause.empty()) failure.message += fmt::format(": {}", refusal.cause);
  if (failure.hint.empty() && !refusal.errors.empty()) failure.hint = refusal.errors.front().hint;
  return failure;
}

}  // namespace carillon
