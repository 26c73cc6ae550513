#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "executors/process/hiding.hpp"
#include "files/file_descriptor.hpp"

#include <sys/types.h>

#include <filesystem>

namespace carillon {

struct LauncherOptions {
  /// Locked while the launcher lives (launcher_lock.hpp); empty = none.
  std::filesystem::path lock_file{};
  /// A folder of control groups to make one in for each command; empty = none.
  std::filesystem::path control_group{};
  /// Where commands that outlive their server are kept for the next one (kept_files.hpp), made when there is one; empty
  /// = such commands are refused.
  std::filesystem::path kept_folder{};
  /// A folder that commands shall not see, this server's data; empty = none. Whether that can be had is told by
  /// Launcher::hiding.
  std::filesystem::path hidden_folder{};
  /// How long what is asked to end may take for it: what a command leaves behind, and all of it when the server dies.
  Duration grace = std::chrono::seconds{2};
};

/// A server's end of its launcher. When it is destroyed, or the server dies, the launcher ends everything it has
/// started, but for what outlives its server, and then itself; the destructor waits for that.
class Launcher {
 public:
  /// What a server speaks with its launcher through.
  struct Sockets {
    FileDescriptor control;   // requests but launches, and all replies
    FileDescriptor launches;  // launch requests
  };

  Launcher(Sockets sockets, pid_t pid, Duration grace);
  Launcher(Launcher&&) noexcept = default;
  Launcher& operator=(Launcher&&) = delete;
  ~Launcher();

  [[nodiscard]] const Sockets& sockets() const { return sockets_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// How the hidden folder is kept from commands.
  [[nodiscard]] const Hiding& hiding() const { return hiding_; }

 private:
  friend Result<Launcher> start_launcher(const LauncherOptions& options);

  Sockets sockets_;
  FileDescriptor process_;
  pid_t pid_;
  Duration grace_;
  Hiding hiding_{};
};

/// Starts the process that starts commands. To be called first of all: it keeps a copy of this process as it is now,
/// and would keep only the calling one of several threads. A conflict if another launcher has the lock.
[[nodiscard]] Result<Launcher> start_launcher(const LauncherOptions& options = {});

}  // namespace carillon
