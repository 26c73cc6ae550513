#include "executors/process/detached_work.hpp"

#include "base/quoted.hpp"
#include "executors/process/channel.hpp"
#include "executors/process/system_calls.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace carillon {
namespace {

/// The next packet, within the time.
Result<Packet> await_packet(int socket, Duration end) {
  while (true) {
    Packet packet;
    switch (TRY(receive_packet(socket, packet))) {
      case PacketStatus::done: return packet;
      case PacketStatus::closed: return Packet{};
      case PacketStatus::not_now: break;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - boot_now());
    if (left.count() <= 0) {
      return fail(
          ErrorCode::unavailable,
          "a launcher of an earlier server still has commands and does not answer; check which process listens there");
    }
    pollfd answer{.fd = socket, .events = POLLIN, .revents = 0};
    ::poll(&answer, 1, static_cast<int>(left.count()));
  }
}

void add(EarlierLauncher& launcher, LauncherReply reply, std::vector<FileDescriptor> files) {
  if (auto* kept = std::get_if<DetachedLaunchInfo>(&reply)) {
    launcher.launches.push_back({.kept = std::move(*kept), .output = {std::move(files.at(0)), std::move(files.at(1))}});
  } else if (auto* output = std::get_if<DetachedOutput>(&reply)) {
    launcher.launches.back().printed.push_back(std::move(*output));
  }
}

/// None if it ended before it had told everything: then it has nothing more to tell, or is lost.
Result<std::optional<EarlierLauncher>> hear_out(FileDescriptor socket, Duration end) {
  EarlierLauncher launcher{.socket = std::move(socket), .launches = {}};
  const Packet greeting = TRY(await_packet(launcher.socket.get(), end));
  if (greeting.bytes.empty()) return std::nullopt;
  if (greeting.bytes != kept_format) {
    return fail(
        ErrorCode::unavailable,
        "a launcher of another version of carillon still has commands; start that version, or wait until they end");
  }
  while (true) {
    Packet packet = TRY(await_packet(launcher.socket.get(), end));
    if (packet.bytes.empty()) return std::nullopt;
    LauncherReply reply = reply_from(packet.bytes);
    if (std::holds_alternative<DetachedListEnd>(reply)) return launcher;
    add(launcher, std::move(reply), std::move(packet.files));
  }
}

Result<> meet_launchers(const DetachedFiles& files, Duration time_max, DetachedWork& detached) {
  const Duration end = boot_now() + time_max;
  const DetachedFiles::Names names = TRY(files.names());
  for (const std::string& name : names.sockets) {
    FileDescriptor socket = TRY(files.connect(name));
    if (!socket.is_open()) {
      files.remove(name);
      continue;
    }
    auto launcher = TRY(while_doing(hear_out(std::move(socket), end), "asking {}", carillon::quoted(name)));
    if (launcher && !launcher->launches.empty()) detached.launchers.push_back(*std::move(launcher));
  }
  return {};
}

bool has_launch(const DetachedWork& detached, const AttemptKey& key) {
  return std::ranges::any_of(detached.launchers, [&](const EarlierLauncher& launcher) {
    return std::ranges::any_of(launcher.launches, [&](const auto& launch) { return launch.kept.key == key; });
  });
}

Result<> read_ends(const DetachedFiles& files, DetachedWork& detached) {
  const DetachedFiles::Names names = TRY(files.names());
  for (const std::string& name : names.ends) {
    auto end = files.read_end(name);
    if (!end && end.error().code != ErrorCode::corrupt) return std::unexpected(end.error());
    if (!end) detached.problems.push_back(end.error().message);
    // A launcher that could not be sure that its file is on disk still has it.
    if (!end || has_launch(detached, end->kept.key)) {
      files.remove(name);
    } else {
      detached.ends.push_back(*std::move(end));
    }
  }
  for (const std::string& name : names.unfinished) files.remove(name);
  return {};
}

DetachedAttempt detached_attempt_of(const DetachedLaunchInfo& kept) {
  DetachedAttempt detached_attempt{.key = kept.key, .launched_at = kept.launched_at, .timeout_at = kept.timeout_at};
  if (kept.cause == StopCause::timeout) detached_attempt.stopped = StopCause::timeout;
  if (kept.cause == StopCause::request) detached_attempt.stopped = StopCause::request;
  return detached_attempt;
}

}  // namespace

Result<DetachedWork> find_detached_work(const std::filesystem::path& folder, Duration time_max) {
  DetachedWork detached;
  DetachedFiles files = TRY(DetachedFiles::look(folder));
  if (!files.is_open()) return detached;
  // In this order: what ends before its launcher is met has a file, what ends after that is told.
  TRY(meet_launchers(files, time_max, detached));
  TRY(read_ends(files, detached));
  detached.files = std::move(files);
  return detached;
}

std::vector<DetachedAttempt> list_of(const DetachedWork& detached) {
  std::vector<DetachedAttempt> list;
  for (const EarlierLauncher& launcher : detached.launchers) {
    for (const RunningDetachedLaunch& launch : launcher.launches) list.push_back(detached_attempt_of(launch.kept));
  }
  for (const DetachedEnd& end : detached.ends) list.push_back(detached_attempt_of(end.kept));
  return list;
}

Result<> expect_no_detached_work(const std::filesystem::path& folder, Duration time_max) {
  if (list_of(TRY(find_detached_work(folder, time_max))).empty()) return {};
  return fail(ErrorCode::conflict,
              "commands of an earlier server are still running, or have ended meanwhile, in {}: only a server can take "
              "them over",
              carillon::quoted(folder.native()));
}

}  // namespace carillon
