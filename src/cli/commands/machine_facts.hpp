#pragma once

#include "base/instant.hpp"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace carillon::cli {

/// What the kernel says about its clock; nothing if it does not let us ask.
struct ClockFacts {
  bool is_synchronised = false;
  Duration error_max{};  // how far off it may be
};
[[nodiscard]] std::optional<ClockFacts> kernel_clock();

/// Who listens on a port of this machine. The process is not known if it is another user's.
struct PortHolder {
  std::optional<pid_t> pid{};
  std::string program{};
};
[[nodiscard]] std::optional<PortHolder> listener_on(std::uint16_t port);

struct DiskFacts {
  std::uintmax_t size = 0;
  std::uintmax_t available = 0;  // to this user
  bool has_file_entries = true;
};
/// Of the disk that a path is on, or will be on.
[[nodiscard]] std::optional<DiskFacts> disk_of(const std::filesystem::path& path);

/// What a server wrote into the lock of a folder that it holds now: `pid 4711 on host bell`; nothing if it is free.
[[nodiscard]] std::optional<std::string> lock_holder(const std::filesystem::path& lock);

/// The path itself or the nearest folder above it that exists.
[[nodiscard]] std::filesystem::path nearest_existing(const std::filesystem::path& path);

}  // namespace carillon::cli
