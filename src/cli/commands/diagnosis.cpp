#include "cli/commands/diagnosis.hpp"

#include "cli/terminal/local_time.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace carillon::cli {

namespace {

using Level = Diagnosis::Level;

constexpr std::uintmax_t available_min = 100'000'000;
constexpr Duration distance_max = std::chrono::seconds{5};
/// The clock of two looks at the same moment; less is no news.
constexpr Duration backwards_max = std::chrono::seconds{2};
constexpr std::string_view set_clock = "timedatectl set-ntp true";

std::string seconds_text(Duration length) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>{length}.count());
}

}  // namespace

std::string_view level_name(Level level) {
  switch (level) {
    case Level::ok: return "ok";
    case Level::warning: return "warning";
    case Level::error: return "error";
  }
  std::unreachable();
}

std::string size_text(std::uintmax_t bytes) {
  constexpr std::array<std::string_view, 5> units{"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 || value >= 99.95 ? fmt::format("{:.0f} {}", value, units[unit])
                                     : fmt::format("{:.1f} {}", value, units[unit]);
}

Diagnosis clock_diagnosis(const std::optional<ClockFacts>& facts) {
  if (!facts) return {.check = "clock", .message = "clock: the kernel does not report whether it is synchronised"};
  if (facts->is_synchronised) return {.check = "clock", .message = "clock synchronised"};
  return {.check = "clock",
          .level = Level::warning,
          .message = fmt::format("clock is not synchronised (the kernel reports a possible error of {})",
                                 seconds_text(facts->error_max)),
          .fix = std::string{set_clock}};
}

Diagnosis distance_diagnosis(Instant ours, Instant servers) {
  const Duration distance = ours > servers ? ours - servers : servers - ours;
  if (distance <= distance_max) return {.check = "server-clock", .message = "server's clock agrees with this one"};
  return {.check = "server-clock",
          .level = Level::error,
          .message = fmt::format("server's clock is {} {} this one ({} there, {} here)", rough_duration(distance),
                                 servers > ours ? "ahead of" : "behind", to_text(servers), to_text(ours)),
          .fix = fmt::format("{}, on both machines", set_clock)};
}

std::optional<Diagnosis> backwards_diagnosis(Instant now, const std::optional<Instant>& newest) {
  if (!newest || now + backwards_max >= *newest) return std::nullopt;
  return Diagnosis{
      .check = "clock-backwards",
      .level = Level::error,
      .message = fmt::format("clock shows {}, but the store already has {}", to_text(now), to_text(*newest)),
      .fix = std::string{set_clock}};
}

Diagnosis zones_diagnosis(std::string_view version, std::size_t name_count) {
  if (name_count > 1) return {.check = "tzdata", .message = fmt::format("tzdata {}, {} zones", version, name_count)};
  return {.check = "tzdata",
          .level = Level::error,
          .message = "tzdata is missing: only UTC is available",
          .fix = "install it (apt-get install tzdata), or set TZDIR to its folder"};
}

Diagnosis disk_diagnosis(const DiskFacts& facts, const std::string& folder) {
  const std::string room = fmt::format("disk has {} of {} left", size_text(facts.available), size_text(facts.size));
  const std::string look = fmt::format("free some space: du -xsh {}", folder);
  if (!facts.has_file_entries)
    return {.check = "disk", .level = Level::error, .message = "disk is full: no free inodes", .fix = look};
  if (facts.available == 0) return {.check = "disk", .level = Level::error, .message = "disk is full", .fix = look};
  if (facts.available < available_min || facts.available < facts.size / 100)
    return {.check = "disk", .level = Level::warning, .message = room, .fix = look};
  return {.check = "disk", .message = room};
}

Diagnosis port_diagnosis(std::uint16_t port, const std::optional<PortHolder>& holder, bool is_ours) {
  if (!holder) return {.check = "port", .message = fmt::format("port {} is free", port)};
  const std::string who =
      holder->pid ? fmt::format("pid {} ({})", *holder->pid, holder->program) : "another user's process";
  if (is_ours) return {.check = "port", .message = fmt::format("port {} is held by {}", port, who)};
  const bool is_carillon = holder->program.starts_with("carillon") && holder->pid;
  return {.check = "port",
          .level = Level::error,
          .message = fmt::format("port {} is in use by {}", port, who),
          .fix = is_carillon ? fmt::format("carillon stop --pid {}", *holder->pid)
                             : fmt::format("carillon serve --listen 127.0.0.1:{}", port == 65535 ? 0 : port + 1)};
}

Diagnosis version_diagnosis(std::string_view ours, std::string_view servers) {
  if (ours == servers)
    return {.check = "version", .message = fmt::format("server is version {}, the same as this command", servers)};
  return {.check = "version",
          .level = Level::warning,
          .message = fmt::format("server is version {}, this command is {}", servers, ours),
          .fix = "restart the server with this version: carillon stop, carillon serve"};
}

Diagnosis folder_diagnosis(const std::filesystem::path& folder) {
  const std::string name = folder.string();
  struct stat facts{};
  if (::stat(folder.c_str(), &facts) != 0) {
    const std::string parent = nearest_existing(folder).string();
    if (::access(parent.c_str(), W_OK | X_OK) == 0)
      return {.check = "folder", .message = fmt::format("data folder {} will be created by the first start", name)};
    return {.check = "folder",
            .level = Level::error,
            .message = fmt::format("data folder {} cannot be created: {} is not writable", name, parent),
            .fix = fmt::format("sudo install -d -m 700 -o \"$USER\" {}", name)};
  }
  if (!S_ISDIR(facts.st_mode))
    return {.check = "folder",
            .level = Level::error,
            .message = fmt::format("{} is not a folder", name),
            .fix = "choose another folder: carillon serve --data DIR"};
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return {.check = "folder",
            .level = Level::error,
            .message = fmt::format("other users can write to data folder {}", name),
            .fix = fmt::format("chmod go-w {}", name)};
  if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
    return {.check = "folder",
            .level = Level::error,
            .message = fmt::format("you cannot write to data folder {}", name),
            .fix = facts.st_uid == ::geteuid() ? fmt::format("chmod u+rwx {}", name)
                                               : fmt::format("sudo chown -R \"$USER\" {}, or become its owner", name)};
  return {.check = "folder", .message = fmt::format("data folder {}", name)};
}

Diagnosis lost_folder_diagnosis(const std::filesystem::path& folder, pid_t server) {
  return {.check = "folder",
          .level = Level::error,
          .message = fmt::format("data folder {} was deleted or replaced under the running server (pid {})",
                                 folder.string(), server),
          .fix = fmt::format("carillon stop --pid {}; put the folder back from a backup; carillon serve --data {}",
                             server, folder.string())};
}

Diagnosis secret_diagnosis(const std::filesystem::path& file) {
  const std::string name = file.string();
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0)
    return {.check = "token",
            .level = Level::error,
            .message = fmt::format("token file {} does not exist", name),
            .fix = "carillon config unset tokenFile, or --token-file FILE"};
  if ((facts.st_mode & 077) != 0)
    return {.check = "token",
            .level = Level::warning,
            .message = fmt::format("other users can read token file {}", name),
            .fix = fmt::format("chmod 600 {}", name)};
  return {.check = "token", .message = fmt::format("token file {} is private", name)};
}

}  // namespace carillon::cli
