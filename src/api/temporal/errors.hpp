#pragma once

#include "grpc_wire/status.hpp"
#include "service/refusal.hpp"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace carillon::temporal {

/// A value, or how the call ends without one.
template <typename T = void>
using Outcome = std::expected<T, grpc::Status>;

/// A status without details.
[[nodiscard]] std::unexpected<grpc::Status> failed(grpc::StatusCode code, std::string message);
/// One whose details hold this message, which is what some clients look at.
[[nodiscard]] std::unexpected<grpc::Status> failed_with(grpc::StatusCode code, std::string message,
                                                        const google::protobuf::Message& detail);

[[nodiscard]] std::unexpected<grpc::Status> invalid(std::string message);
/// `Invalid schedule spec: …`: clients look for these words.
[[nodiscard]] std::unexpected<grpc::Status> invalid_spec(std::string_view what);
[[nodiscard]] std::unexpected<grpc::Status> no_such_schedule();
[[nodiscard]] std::unexpected<grpc::Status> no_such_namespace(std::string_view name);
[[nodiscard]] std::unexpected<grpc::Status> query_failed();
[[nodiscard]] std::unexpected<grpc::Status> already_registered(std::string_view id);

/// How a refusal of the application is told. Never UNKNOWN or, unless it is worth trying again, UNAVAILABLE: clients
/// repeat such calls for seconds.
[[nodiscard]] grpc::Status status_of(const Refusal& refusal);

/// The value, or the refusal as a status.
template <typename T>
[[nodiscard]] Outcome<T> told(Served<T> served) {
  if (!served) return std::unexpected(status_of(served.error()));
  if constexpr (std::is_void_v<T>)
    return {};
  else
    return *std::move(served);
}

}  // namespace carillon::temporal
