#include "api/temporal/errors.hpp"

#include <google/protobuf/any.pb.h>
#include <temporal/errordetails.pb.h>
#include <temporal/status.pb.h>

#include <algorithm>

namespace carillon::temporal {
namespace {

namespace details_pb = ::temporal::api::errordetails::v1;
using grpc::StatusCode;

constexpr std::size_t message_size_max = 2'000;

/// The message stands in the details once more: some clients show that one.
std::string details_of(StatusCode code, const std::string& message, const google::protobuf::Message& detail) {
  google::rpc::Status status;
  status.set_code(static_cast<int>(code));
  status.set_message(message);
  status.add_details()->PackFrom(detail);
  return status.SerializeAsString();
}

std::string text_of(const Refusal& refusal) {
  std::string text = refusal.message;
  if (!refusal.hint.empty()) text += "; " + refusal.hint;
  // What is wrong with a document stands with its place.
  if (!refusal.errors.empty() && !refusal.errors.front().pointer.empty())
    text = fmt::format("{}: {}", refusal.errors.front().pointer, text);
  return text;
}

StatusCode code_of(Refusal::Kind kind) {
  switch (kind) {
    case Refusal::Kind::malformed:
    case Refusal::Kind::invalid:
    case Refusal::Kind::too_large:
    case Refusal::Kind::wrong_media: return StatusCode::invalid_argument;
    case Refusal::Kind::unauthenticated: return StatusCode::unauthenticated;
    case Refusal::Kind::forbidden: return StatusCode::permission_denied;
    case Refusal::Kind::not_found:
    case Refusal::Kind::gone: return StatusCode::not_found;
    case Refusal::Kind::exists: return StatusCode::already_exists;
    case Refusal::Kind::wrong_status:
    case Refusal::Kind::stale:
    case Refusal::Kind::key_reused:
    case Refusal::Kind::ended: return StatusCode::failed_precondition;
    case Refusal::Kind::in_progress: return StatusCode::aborted;
    case Refusal::Kind::too_many:
    case Refusal::Kind::full: return StatusCode::resource_exhausted;
    case Refusal::Kind::unavailable: return StatusCode::unavailable;
    case Refusal::Kind::internal: return StatusCode::internal;
  }
  return StatusCode::internal;
}

}  // namespace

std::unexpected<grpc::Status> failed(StatusCode code, std::string message) {
  return std::unexpected(grpc::Status{.code = code, .message = std::move(message)});
}

std::unexpected<grpc::Status> failed_with(StatusCode code, std::string message,
                                          const google::protobuf::Message& detail) {
  grpc::Status status{.code = code, .message = std::move(message)};
  status.details = details_of(code, status.message, detail);
  return std::unexpected(std::move(status));
}

std::unexpected<grpc::Status> invalid(std::string message) {
  return failed(StatusCode::invalid_argument, std::move(message));
}

std::unexpected<grpc::Status> invalid_spec(std::string_view what) {
  return invalid(fmt::format("Invalid schedule spec: {}", what));
}

std::unexpected<grpc::Status> no_such_schedule() {
  return failed_with(StatusCode::not_found, "schedule not found", details_pb::NotFoundFailure{});
}

std::unexpected<grpc::Status> no_such_namespace(std::string_view name) {
  details_pb::NamespaceNotFoundFailure detail;
  detail.set_namespace_(std::string{name});
  return failed_with(StatusCode::not_found, fmt::format("Namespace {} is not found.", name), detail);
}

std::unexpected<grpc::Status> query_failed() {
  return failed_with(StatusCode::invalid_argument, "missing or invalid query", details_pb::QueryFailedFailure{});
}

std::unexpected<grpc::Status> already_registered(std::string_view id) {
  return failed_with(StatusCode::already_exists, fmt::format("schedule \"{}\" is already registered", id),
                     details_pb::WorkflowExecutionAlreadyStartedFailure{});
}

grpc::Status status_of(const Refusal& refusal) {
  if (refusal.kind == Refusal::Kind::not_found) return no_such_schedule().error();
  const StatusCode code = code_of(refusal.kind);
  std::string message = text_of(refusal);
  message.resize(std::min(message.size(), message_size_max));
  if (code == StatusCode::permission_denied) {
    details_pb::PermissionDeniedFailure detail;
    detail.set_reason(message);
    return failed_with(code, std::move(message), detail).error();
  }
  return {.code = code, .message = std::move(message)};
}

}  // namespace carillon::temporal
