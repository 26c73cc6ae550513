#include "executors/process/folder_hiding.hpp"

#include "base/quoted.hpp"
#include "executors/process/landlock.hpp"
#include "executors/process/system_calls.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace carillon {
namespace {

/// So many entries beside the hidden folder, and beside those above it, are named one by one.
constexpr std::size_t rule_count_max = 10'000;

// Before that a file could not be moved from one folder to another at all.
constexpr int oldest_version_for_files = 2;
constexpr int oldest_version_for_truncate = 3;
constexpr int oldest_version_for_scopes = 6;

constexpr std::uint64_t folder_rights =
    landlock::remove_dir | landlock::remove_file | landlock::make_char | landlock::make_dir | landlock::make_reg |
    landlock::make_sock | landlock::make_fifo | landlock::make_block | landlock::make_sym | landlock::refer;

std::uint64_t file_rights() {
  const bool has_truncate = landlock::version() >= oldest_version_for_truncate;
  return landlock::read_file | landlock::write_file | (has_truncate ? landlock::truncate : 0);
}

std::string quoted_path(const std::filesystem::path& path) { return carillon::quoted(path.native()); }

Result<timespec> change_of(const std::filesystem::path& folder) {
  struct stat facts{};
  if (::stat(folder.c_str(), &facts) != 0)
    return std::unexpected(system_error(fmt::format("cannot look at the folder {}", quoted_path(folder))));
  return facts.st_mtim;
}

/// Allows everything in a folder but one entry.
Result<> allow_all_but(const FileDescriptor& ruleset, const std::filesystem::path& folder, std::string_view left_out,
                       std::size_t& count) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries{::opendir(folder.c_str()), ::closedir};
  if (entries == nullptr)
    return std::unexpected(system_error(fmt::format("cannot read the folder {}", quoted_path(folder))));
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    // What a link leads to has a place of its own.
    if (name == "." || name == ".." || name == left_out || entry->d_type == DT_LNK) continue;
    if (++count > rule_count_max)
      return fail(ErrorCode::unavailable, "there are more than {} entries beside it", rule_count_max);
    const FileDescriptor place{::openat(::dirfd(entries.get()), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    struct stat facts{};
    if (!place.is_open() || ::fstat(place.get(), &facts) != 0) continue;  // just gone
    TRY(landlock::allow(ruleset, place.get(), S_ISDIR(facts.st_mode) ? file_rights() | folder_rights : file_rights()));
  }
  return {};
}

bool is_same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

}  // namespace

Hiding FolderHiding::begin() {
  if (folder_.empty()) return {};
  std::error_code fault;
  folder_ = std::filesystem::canonical(folder_, fault);
  Result<> done;
  if (fault) done = fail(ErrorCode::unavailable, "{}", fault.message());
  if (done) done = mount_over();
  how_ = Hiding::How::mount;
  if (!done && !fault) {
    done = prepare_landlock();
    how_ = Hiding::How::landlock;
  }
  if (done) return {.how = how_};
  how_ = Hiding::How::failed;
  return {.how = how_, .why_not = done.error().message};
}

Result<> FolderHiding::mount_over() const {
  // Of this thread alone, and of what it starts.
  if (::unshare(CLONE_NEWNS) != 0) return std::unexpected(system_error("cannot make a mount namespace"));
  // What others mount is seen here; what is mounted here is not seen by others.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return std::unexpected(system_error("cannot separate the mount namespace"));
  if (::mount("carillon", folder_.c_str(), "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
              "size=4k,mode=0555") != 0)
    return std::unexpected(system_error("cannot mount over the folder"));
  return {};
}

Result<> FolderHiding::prepare_landlock() {
  if (landlock::version() < oldest_version_for_files)
    return fail(ErrorCode::unavailable,
                "this server may not mount, and the kernel has no Landlock of version {} or later",
                oldest_version_for_files);
  levels_.clear();
  for (std::filesystem::path at = folder_; at.has_relative_path(); at = at.parent_path()) {
    const std::filesystem::path above = at.parent_path();
    if (::faccessat(AT_FDCWD, above.c_str(), W_OK, AT_EACCESS) == 0)
      return fail(ErrorCode::unavailable, "this server may not mount, and its user can write in {}, which holds it",
                  quoted_path(above));
    levels_.push_back({.path = above, .next = at.filename().native()});
  }
  return make_ruleset();
}

Result<> FolderHiding::make_ruleset() {
  FileDescriptor ruleset = TRY(landlock::make_ruleset(file_rights() | folder_rights, 0));
  std::size_t count = 0;
  for (Level& level : levels_) {
    // Before it is read: a change meanwhile is seen the next time.
    level.changed = TRY(change_of(level.path));
    TRY(allow_all_but(ruleset, level.path, level.next, count));
  }
  ruleset_ = std::move(ruleset);
  return {};
}

bool FolderHiding::has_changed() const {
  for (const Level& level : levels_) {
    const auto changed = change_of(level.path);
    if (!changed || !is_same(*changed, level.changed)) return true;
  }
  return false;
}

Result<int> FolderHiding::ruleset_for(uid_t user) {
  switch (how_) {
    case Hiding::How::not_asked:
    case Hiding::How::failed: return -1;
    case Hiding::How::landlock:
      if (has_changed()) TRY(make_ruleset());
      return ruleset_.get();
    case Hiding::How::mount: break;
  }
  // root could look through the eyes of a process outside (/proc/1/root). One in a domain of its own cannot; it costs
  // it nothing but a look at processes outside of it and their abstract sockets.
  if (user != 0 || landlock::version() < oldest_version_for_scopes) return -1;
  if (!ruleset_.is_open()) ruleset_ = TRY(landlock::make_ruleset(0, landlock::scope_abstract_unix_socket));
  return ruleset_.get();
}

}  // namespace carillon
