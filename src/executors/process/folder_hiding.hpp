#pragma once

#include "base/error.hpp"
#include "executors/process/hiding.hpp"
#include "files/file_descriptor.hpp"

#include <sys/types.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace carillon {

/// Keeps a folder from what one thread starts, and from nothing else: the other threads of the process, which work in
/// that folder, see it as before.
///
/// With the right to mount, an empty folder is mounted over it in a mount namespace of that thread. Without, Landlock
/// refuses to open what is in it. Landlock knows only what is allowed, so everything beside the folder and beside the
/// folders above it is named; that is the same as "all but this" only where commands cannot make anything new beside
/// it, i.e. where the folders above are not theirs to write. Elsewhere nothing is hidden.
class FolderHiding {
 public:
  /// An empty path: nothing is to be hidden.
  explicit FolderHiding(std::filesystem::path folder) : folder_{std::move(folder)} {}
  FolderHiding(const FolderHiding&) = delete;
  FolderHiding& operator=(const FolderHiding&) = delete;

  /// On the thread that starts programs, before the first.
  [[nodiscard]] Hiding begin();

  /// What a program is to be restricted by (landlock_restrict_self) before it begins as this user; -1: by nothing. On
  /// the same thread. An error if it cannot be made any more.
  [[nodiscard]] Result<int> ruleset_for(uid_t user);

 private:
  /// A folder above the hidden one, and when something in it was last added or removed.
  struct Level {
    std::filesystem::path path;
    std::string next;  // the entry that leads to the hidden folder
    timespec changed{};
  };

  [[nodiscard]] Result<> mount_over() const;
  [[nodiscard]] Result<> prepare_landlock();
  [[nodiscard]] Result<> make_ruleset();
  [[nodiscard]] bool has_changed() const;

  std::filesystem::path folder_;
  Hiding::How how_ = Hiding::How::not_asked;
  std::vector<Level> levels_;
  FileDescriptor ruleset_;
};

}  // namespace carillon
