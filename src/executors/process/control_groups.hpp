#pragma once

#include "base/error.hpp"
#include "executors/process/messages.hpp"
#include "files/file_descriptor.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace carillon {

/// A control group for each launch. What is started in one cannot leave it without privileges, so that all that belongs
/// to a launch is known, and can be ended in one step. Calls do nothing when groups are not in use. make() may be
/// called from another thread than the rest.
class ControlGroups {
 public:
  /// None are in use.
  ControlGroups() = default;

  /// Groups below `folder`/`name`. What is still in there, left by one who used it before, is ended. An error if
  /// `folder` is no folder of control groups (version 2, Linux 5.14) that this process may write.
  [[nodiscard]] static Result<ControlGroups> open(const std::filesystem::path& folder, std::string name);

  [[nodiscard]] bool is_in_use() const { return folder_.is_open(); }
  /// Makes the group of a launch and opens it; a closed file when groups are not in use.
  [[nodiscard]] Result<FileDescriptor> make(LaunchId id) const;
  /// Ends everything in it.
  void end(LaunchId id) const;
  /// Takes it away, if nothing is in it.
  void remove(LaunchId id) const;
  /// Takes the folder of all groups away, if nothing is in it.
  void remove_all() const;

  /// The launch whose group a process is in, by the text of its /proc/…/cgroup.
  [[nodiscard]] std::optional<LaunchId> launch_in(std::string_view cgroup_text) const;

 private:
  ControlGroups(FileDescriptor parent, FileDescriptor folder, std::string name)
      : parent_{std::move(parent)}, folder_{std::move(folder)}, name_{std::move(name)} {}

  FileDescriptor parent_;
  FileDescriptor folder_;
  std::string name_;
};

/// The folder of the control group that this process is in, if it may make groups below it.
[[nodiscard]] std::optional<std::filesystem::path> own_control_group();

}  // namespace carillon
