#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "executors/process/detached_files.hpp"
#include "executors/process/messages.hpp"
#include "files/file_descriptor.hpp"
#include "ports/executor.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// A command that goes on under the launcher of an earlier server, or whose end that launcher will tell.
struct RunningDetachedLaunch {
  DetachedLaunchInfo kept;
  std::array<FileDescriptor, 2> output{};  // by OutputStream
  std::vector<DetachedOutput> printed{};   // while nobody read it
};
struct EarlierLauncher {
  FileDescriptor socket;
  std::vector<RunningDetachedLaunch> launches;
};

/// What earlier servers have left behind.
struct DetachedWork {
  std::optional<DetachedFiles> files{};
  std::vector<EarlierLauncher> launchers{};
  std::vector<DetachedEnd> ends{};      // each has a file
  std::vector<std::string> problems{};  // for people: what could not be read, and has been removed
};

/// Becomes the server of every launcher that keeps something in the folder, and reads what those that are gone have
/// left. To be called when nobody else can be a server here and no launcher is still clearing up (wait_until_gone). An
/// error unavailable if a launcher lives and does not answer within `time_max`: nobody may call its commands lost then.
[[nodiscard]] Result<DetachedWork> find_detached_work(const std::filesystem::path& folder, Duration time_max);

[[nodiscard]] std::vector<DetachedAttempt> list_of(const DetachedWork& detached);

/// For those who cannot take commands over: a conflict if there are any, which stay as they are.
[[nodiscard]] Result<> expect_no_detached_work(const std::filesystem::path& folder, Duration time_max);

}  // namespace carillon
