#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"
#include "packages/change_debouncer.hpp"
#include "packages/folder_listing.hpp"
#include "packages/folder_scope.hpp"

#include <sys/inotify.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::packages {

/// Hears of changes below a folder: files that are written, replaced, moved or deleted, and folders that come and go.
/// Times are Clock::since_boot and given by the caller, who also waits; nothing here does. For one thread.
class FolderWatcher {
 public:
  /// An error if the folder is not there, or the system gives no way to watch it. Folders below that cannot be watched
  /// are no error: see is_complete.
  [[nodiscard]] static Result<FolderWatcher> open(std::filesystem::path folder, WatchedFiles which);

  /// Readable when there are events.
  [[nodiscard]] int descriptor() const { return events_.get(); }
  /// Takes all events that have come. If the system has lost some, the whole folder counts as changed.
  void take_events(Duration now);

  /// The parts that have changed and have been quiet since for quiet_time.
  [[nodiscard]] std::vector<FolderScope> take_due(Duration now) { return changes_.take_due(now); }
  [[nodiscard]] std::optional<Duration> next_due() const { return changes_.next_due(); }

  /// Whether every folder is watched. If not (the system has a limit, fs.inotify.max_user_watches), whoever wants to
  /// know of all changes must look from time to time.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  /// Watches what is not watched yet. For who looks from time to time.
  void watch_again() { watch_below("."); }

 private:
  FolderWatcher(std::filesystem::path folder, WatchedFiles which, FileDescriptor events)
      : folder_{std::move(folder)}, which_{which}, events_{std::move(events)} {}

  void watch_below(const std::string& folder);
  void forget_below(const std::string& folder);
  void take(const inotify_event& event, std::string_view name, Duration now);
  void take_folder_event(const std::string& folder, std::uint32_t mask, Duration now);

  std::filesystem::path folder_;
  WatchedFiles which_;
  FileDescriptor events_;
  std::map<int, std::string> folders_;  // by watch
  ChangeDebouncer changes_;
  bool is_complete_ = true;
};

}  // namespace carillon::packages
