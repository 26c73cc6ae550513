#pragma once

#include <cstdint>
#include <string>

namespace carillon::grpc {

/// How a call ended, by the numbers of gRPC.
enum class StatusCode : std::uint8_t {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

struct Status {
  StatusCode code = StatusCode::ok;
  std::string message{};  // for people, UTF-8
  std::string details{};  // for programs: a google.rpc.Status in its bytes; may be empty

  [[nodiscard]] bool is_ok() const { return code == StatusCode::ok; }
};

}  // namespace carillon::grpc
