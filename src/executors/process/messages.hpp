#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/run.hpp"
#include "executors/process/program.hpp"
#include "ports/executor.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace carillon {

/// Names one launch between a server and its launcher; never used twice.
enum class LaunchId : std::uint64_t { none = 0 };

// What a server tells its launcher. Times are by boot_now.

/// Comes on a way of its own, in the order of the ids. Beside it go the files that become standard output, standard
/// error and, if there is any, standard input.
struct LaunchRequest {
  LaunchId id{};
  Duration launch_before{};
  Program program;
};
struct StopRequest {
  LaunchId id{};
  Stop how = Stop::cancel;
};
struct ExtendRequest {
  Duration until{};
};
using Request = std::variant<LaunchRequest, StopRequest, ExtendRequest>;

// What a launcher tells its server: for each launch `Launched` and then `Ended`, or `Refused` alone.

/// The launcher is at work; with an error it says why it cannot be.
struct Ready {
  ErrorCode code{};
  std::string error;
};
struct Launched {
  LaunchId id{};
};
struct Refused {
  enum class Why { too_late, stopped, cannot_start };
  LaunchId id{};
  Why why = Why::too_late;
  std::string error;
};
// Words that both ends say.
inline constexpr const char* too_late = "too late: it must not be launched any more";
inline constexpr const char* stopped_before_launch = "stopped before it was launched";

/// Its program has ended, and nothing that it started is left.
struct Ended {
  enum class Cause { itself, stop_request, lease };
  LaunchId id{};
  Cause cause = Cause::itself;
  int wait_status = 0;
  ResourceUse use{};
};
using Reply = std::variant<Ready, Launched, Refused, Ended>;

// Both ends are the same program, so that these bytes have no versions.
[[nodiscard]] std::string to_bytes(const Request& request);
[[nodiscard]] std::string to_bytes(const Reply& reply);
[[nodiscard]] Request request_from(std::string_view bytes);
[[nodiscard]] Reply reply_from(std::string_view bytes);
/// Which launch a request is about, if it is one, by its first bytes.
[[nodiscard]] LaunchId launch_id_from(std::string_view first_bytes);

}  // namespace carillon
