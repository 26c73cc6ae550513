#include "packages/folder_watcher.hpp"

#include "files/beneath.hpp"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace carillon::packages {
namespace {

namespace fs = std::filesystem;

/// Also what is being written: a file is not read before that is over.
constexpr std::uint32_t watched_events = IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                         IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW;
constexpr std::uint32_t end_events = IN_DELETE | IN_MOVED_FROM;

}  // namespace

Result<FolderWatcher> FolderWatcher::open(fs::path folder, WatchedFiles which) {
  TRY(open_folder(folder));
  FileDescriptor events{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  if (!events.is_open()) {
    Error error = fail(ErrorCode::unavailable, "cannot watch {}: {}", folder.string(), std::strerror(errno)).error();
    error.hint = "raise fs.inotify.max_user_instances, or the limit on open files";
    return std::unexpected(std::move(error));
  }
  FolderWatcher watcher{std::move(folder), which, std::move(events)};
  watcher.watch_below(".");
  return watcher;
}

// Folders that came while they were listed are heard of by the watch of the folder they are in.
void FolderWatcher::watch_below(const std::string& folder) {
  if (folder == ".") is_complete_ = true;
  const auto add = [this](const std::string& path) {
    const int watch = ::inotify_add_watch(events_.get(), (folder_ / path).c_str(), watched_events);
    if (watch >= 0)
      folders_.insert_or_assign(watch, path);
    else if (errno != ENOENT && errno != ENOTDIR)
      is_complete_ = false;
  };
  add(folder);
  const auto listing = list_folder(folder_, {.folder = folder, .is_recursive = true}, which_);
  if (!listing || !listing->faults.empty()) is_complete_ = false;
  if (!listing) return;
  for (const std::string& path : listing->folders) add(path);
}

void FolderWatcher::forget_below(const std::string& folder) {
  std::erase_if(folders_, [&](const auto& entry) {
    if (!is_at_or_below(entry.second, folder)) return false;
    // Of a folder that was deleted there is no watch any more.
    (void)::inotify_rm_watch(events_.get(), entry.first);
    return true;
  });
}

void FolderWatcher::take_events(Duration now) {
  alignas(inotify_event) std::array<char, 64 * 1024> buffer;
  for (;;) {
    const ssize_t size = ::read(events_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      take(event, event.len == 0 ? std::string_view{} : std::string_view{name}, now);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

void FolderWatcher::take(const inotify_event& event, std::string_view name, Duration now) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {
    watch_below(".");
    return changes_.note({}, now);
  }
  const auto found = folders_.find(event.wd);
  if (found == folders_.end()) return;
  const std::string folder = found->second;
  if ((event.mask & IN_IGNORED) != 0) {
    folders_.erase(found);
    return;
  }
  if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF)) != 0) {
    // Of the others the folder above tells.
    if (folder == ".") changes_.note({}, now);
    return;
  }
  if ((event.mask & IN_ISDIR) != 0) {
    if (!is_passed_over(name)) take_folder_event(joined_path(folder, name), event.mask, now);
    return;
  }
  if (may_define_schedules(name, which_)) changes_.note({.folder = folder, .is_recursive = false}, now);
}

void FolderWatcher::take_folder_event(const std::string& folder, std::uint32_t mask, Duration now) {
  if ((mask & end_events) != 0)
    forget_below(folder);
  else if ((mask & (IN_CREATE | IN_MOVED_TO)) != 0)
    watch_below(folder);
  else
    return;
  changes_.note({.folder = folder, .is_recursive = true}, now);
}

}  // namespace carillon::packages
