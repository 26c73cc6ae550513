#include "executors/process/survivors.hpp"

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
      return fail(ErrorCode::unavailable,
                  "a launcher of an earlier server keeps commands and does not answer; see who listens there");
    }
    pollfd answer{.fd = socket, .events = POLLIN, .revents = 0};
    ::poll(&answer, 1, static_cast<int>(left.count()));
  }
}

void add(EarlierLauncher& launcher, Reply reply, std::vector<FileDescriptor> files) {
  if (auto* kept = std::get_if<Kept>(&reply)) {
    launcher.launches.push_back({.kept = std::move(*kept), .output = {std::move(files.at(0)), std::move(files.at(1))}});
  } else if (auto* output = std::get_if<KeptOutput>(&reply)) {
    launcher.launches.back().printed.push_back(std::move(*output));
  }
}

/// None if it ended before it had told everything: then it has nothing more to tell, or is lost.
Result<std::optional<EarlierLauncher>> hear_out(FileDescriptor socket, Duration end) {
  EarlierLauncher launcher{.socket = std::move(socket), .launches = {}};
  const Packet greeting = TRY(await_packet(launcher.socket.get(), end));
  if (greeting.bytes.empty()) return std::nullopt;
  if (greeting.bytes != kept_format) {
    return fail(ErrorCode::unavailable,
                "a launcher of another version of carillon keeps commands; start that version, or wait until they end");
  }
  while (true) {
    Packet packet = TRY(await_packet(launcher.socket.get(), end));
    if (packet.bytes.empty()) return std::nullopt;
    Reply reply = reply_from(packet.bytes);
    if (std::holds_alternative<KeptAll>(reply)) return launcher;
    add(launcher, std::move(reply), std::move(packet.files));
  }
}

Result<> meet_launchers(const KeptFiles& files, Duration time_max, Survivors& survivors) {
  const Duration end = boot_now() + time_max;
  const KeptFiles::Names names = TRY(files.names());
  for (const std::string& name : names.sockets) {
    FileDescriptor socket = TRY(files.connect(name));
    if (!socket.is_open()) {
      files.remove(name);
      continue;
    }
    auto launcher = TRY(while_doing(hear_out(std::move(socket), end), "asking {}", carillon::quoted(name)));
    if (launcher && !launcher->launches.empty()) survivors.launchers.push_back(*std::move(launcher));
  }
  return {};
}

bool has_launch(const Survivors& survivors, const AttemptKey& key) {
  return std::ranges::any_of(survivors.launchers, [&](const EarlierLauncher& launcher) {
    return std::ranges::any_of(launcher.launches, [&](const auto& launch) { return launch.kept.key == key; });
  });
}

Result<> read_ends(const KeptFiles& files, Survivors& survivors) {
  const KeptFiles::Names names = TRY(files.names());
  for (const std::string& name : names.ends) {
    auto end = files.read_end(name);
    if (!end && end.error().code != ErrorCode::corrupt) return std::unexpected(end.error());
    if (!end) survivors.problems.push_back(end.error().message);
    // A launcher that could not be sure that its file is on disk still has it.
    if (!end || has_launch(survivors, end->kept.key)) {
      files.remove(name);
    } else {
      survivors.ends.push_back(*std::move(end));
    }
  }
  for (const std::string& name : names.unfinished) files.remove(name);
  return {};
}

Survivor survivor_of(const Kept& kept) {
  Survivor survivor{.key = kept.key, .launched_at = kept.launched_at, .timeout_at = kept.timeout_at};
  if (kept.cause == Ended::Cause::timeout) survivor.stopped = Survivor::Stopped::timed_out;
  if (kept.cause == Ended::Cause::stop_request) survivor.stopped = Survivor::Stopped::asked;
  return survivor;
}

}  // namespace

Result<Survivors> find_survivors(const std::filesystem::path& folder, Duration time_max) {
  Survivors survivors;
  KeptFiles files = TRY(KeptFiles::look(folder));
  if (!files.is_open()) return survivors;
  // In this order: what ends before its launcher is met has a file, what ends after that is told.
  TRY(meet_launchers(files, time_max, survivors));
  TRY(read_ends(files, survivors));
  survivors.files = std::move(files);
  return survivors;
}

std::vector<Survivor> list_of(const Survivors& survivors) {
  std::vector<Survivor> list;
  for (const EarlierLauncher& launcher : survivors.launchers) {
    for (const SurvivingLaunch& launch : launcher.launches) list.push_back(survivor_of(launch.kept));
  }
  for (const KeptEnd& end : survivors.ends) list.push_back(survivor_of(end.kept));
  return list;
}

Result<> expect_no_survivors(const std::filesystem::path& folder, Duration time_max) {
  if (list_of(TRY(find_survivors(folder, time_max))).empty()) return {};
  return fail(ErrorCode::conflict,
              "commands of a server that ended go on, or have ended meanwhile, in {}: only a server can take them over",
              carillon::quoted(folder.native()));
}

}  // namespace carillon
