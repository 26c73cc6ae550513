#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/run.hpp"
#include "executors/process/hiding.hpp"
#include "executors/process/program.hpp"
#include "ports/executor.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carillon {

/// Names one launch between a server and its launcher; never used twice.
enum class LaunchId : std::uint64_t { none = 0 };

/// How old an order to launch may be when it is carried out. Meanwhile the schedule may have been paused or deleted: it
/// has to be asked again whether the run is still wanted.
inline constexpr Duration order_age_max = std::chrono::seconds{1};

// What a server tells its launcher. Times are by boot_now.

/// Of a command that may outlive its server.
struct DetachTerms {
  AttemptKey key;
  std::optional<Duration> timeout_at{};  // for when there is no server to ask it to end
  Duration grace{};
};

/// Comes on a way of its own, in the order of the ids. Beside it go the files that become standard output, standard
/// error and, if there is any, standard input; before that one, if it may be kept, the ends to read its output from.
struct LaunchRequest {
  LaunchId id{};
  Duration launch_before{};
  Duration ordered_at{};  // an order that is older than `order_age_max` is not carried out any more
  Program program;
  std::optional<DetachTerms> keeping{};
};
struct StopLaunchRequest {
  LaunchId id{};
  Stop how = Stop::cancel;
};
struct ExtendRequest {
  Duration until{};
};
/// The kept output has been passed on: it need not be told again.
struct TakenRequest {};
/// The end of what may be kept is in the store.
struct RecordedRequest {
  LaunchId id{};
};
/// The server goes in good order, and nothing is to outlive it.
struct DismissRequest {};
using LauncherRequest =
    std::variant<LaunchRequest, StopLaunchRequest, ExtendRequest, TakenRequest, RecordedRequest, DismissRequest>;

// What a launcher tells its server: for each launch `Begun` and then `Ended`, or `Refused` alone.

/// The launcher is at work; with an error it says why it cannot be.
struct LauncherReady {
  ErrorCode code{};
  std::string error{};
  Hiding::How hiding = Hiding::How::not_asked;
  std::string why_not{};
};
struct LaunchBegan {
  LaunchId id{};
};
struct LaunchRefused {
  enum class Why { too_late, stale, stopped, out_of_resources, cannot_start };
  LaunchId id{};
  Why why = Why::too_late;
  std::string error;
};
// Words that both ends say.
inline constexpr const char* too_late = "its launch deadline has passed";
inline constexpr const char* stale_order = "its launch took too long";
inline constexpr const char* stopped_before_launch = "stopped before it was launched";

/// Its program has ended, and nothing that it started is left.
struct LaunchEnded {
  LaunchId id{};
  StopCause cause = StopCause::none;
  int wait_status = 0;
  ResourceUse use{};
};

// What a launcher tells a later server first of all: for each launch it has kept `Kept`, with the ends to read its
// output from beside it, and its `DetachedOutput` in order; then `DetachedListEnd`.

struct DetachedLaunchInfo {
  LaunchId id{};
  AttemptKey key;
  LaunchTag tag;
  Instant launched_at;
  std::optional<Duration> timeout_at{};
  StopCause cause = StopCause::none;  // why it is ending, or has ended
};
struct DetachedOutput {
  LaunchId id{};
  OutputStream stream = OutputStream::out;
  std::string bytes;
};
struct DetachedListEnd {};
using LauncherReply = std::variant<LauncherReady, LaunchBegan, LaunchRefused, LaunchEnded, DetachedLaunchInfo,
                                   DetachedOutput, DetachedListEnd>;

/// How a launch went that ended while there was no server.
struct DetachedEnd {
  DetachedLaunchInfo kept;
  LaunchEnded ended;
  std::vector<DetachedOutput> output;
};

// A server and the launcher it has started are the same program, so that these bytes have no versions. A launcher that
// has kept something may be met by a newer program: `kept_format` counts the changes of all this.
inline constexpr std::string_view kept_format = "carillon kept 1\n";

[[nodiscard]] std::string to_bytes(const LauncherRequest& request);
[[nodiscard]] std::string to_bytes(const LauncherReply& reply);
[[nodiscard]] LauncherRequest request_from(std::string_view bytes);
[[nodiscard]] LauncherReply reply_from(std::string_view bytes);
[[nodiscard]] std::string to_bytes(const DetachedEnd& end);
[[nodiscard]] DetachedEnd detached_end_from(std::string_view bytes);
/// Which launch a request is about, if it is one, by its first bytes.
[[nodiscard]] LaunchId launch_id_from(std::string_view first_bytes);

}  // namespace carillon
