#include "stores/logs/log_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <system_error>

namespace carillon {
namespace {

constexpr std::size_t file_size_max = std::size_t{64} << 20;
constexpr mode_t folder_mode = 0700;
constexpr mode_t file_mode = 0600;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string folder_name(Uid uid) { return fmt::format("{:x}", static_cast<std::uint64_t>(uid)); }

std::string file_name(const AttemptKey& key) {
  return fmt::format("{}-{}.log", static_cast<std::int64_t>(key.run), key.attempt);
}

/// The run that a file belongs to.
std::optional<Seq> run_of(std::string_view name) {
  std::int64_t seq = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), seq);
  if (error != std::errc{} || end == name.data() + name.size() || *end != '-') return std::nullopt;
  return Seq{seq};
}

/// In the folder of a schedule: the newest run whose log was removed to save space.
constexpr const char* trimmed_name = "trimmed";

using FolderNames = std::unique_ptr<DIR, int (*)(DIR*)>;

/// The names in a folder. The list takes a descriptor for itself.
FolderNames list_of(const OpenFile& folder) {
  return {::fdopendir(::fcntl(folder.number(), F_DUPFD_CLOEXEC, 0)), ::closedir};
}

struct SizedFile {
  Seq run{};
  std::string name;
  std::int64_t size = 0;
};

/// What a file takes of the disk, which for a small one is more than its bytes.
std::int64_t disk_space_of(const OpenFile& folder, const char* name) {
  struct stat status{};
  if (::fstatat(folder.number(), name, &status, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  constexpr std::int64_t block = 4096;
  return (status.st_size + block - 1) / block * block;
}

std::unexpected<Error> failed_to(std::string_view do_what, std::string_view name, int error) {
  return fail(error == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable, "cannot {} {}: {}", do_what, name,
              std::generic_category().message(error));
}

Result<> check_folder(const OpenFile& folder, const std::filesystem::path& path) {
  struct stat status{};
  if (::fstat(folder.number(), &status) != 0) return failed_to("look at", path.native(), errno);
  if (status.st_uid != ::geteuid())
    return fail(ErrorCode::invalid_argument, "the folder {} belongs to another user", path.native());
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(ErrorCode::invalid_argument, "others may write to the folder {}: chmod 700 it", path.native());
  return {};
}

}  // namespace

OpenFile::~OpenFile() {
  if (number_ >= 0) ::close(number_);
}

Result<LogFolder> LogFolder::open(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), folder_mode) != 0 && errno != EEXIST)
    return failed_to("make the folder", path.native(), errno);
  OpenFile folder{::open(path.c_str(), folder_flags)};
  if (folder.number() < 0) return failed_to("open the folder", path.native(), errno);
  TRY(check_folder(folder, path));
  return LogFolder{std::move(folder), path};
}

Result<OpenFile> LogFolder::open_schedule(Uid uid) const {
  const std::string name = folder_name(uid);
  OpenFile folder{::openat(root_.number(), name.c_str(), folder_flags)};
  if (folder.number() < 0) return cannot("open the folder", name, errno);
  return folder;
}

Result<OpenFile> LogFolder::open_file(const LogKey& key, Access access) const {
  const std::string folder = folder_name(key.uid);
  const std::string name = file_name(key.attempt);
  const int flags =
      O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (access == Access::read ? O_RDONLY : O_RDWR | O_APPEND | O_CREAT);
  const auto try_once = [&]() -> Result<OpenFile> {
    if (access == Access::append && ::mkdirat(root_.number(), folder.c_str(), folder_mode) != 0 && errno != EEXIST)
      return cannot("make the folder", folder, errno);
    const OpenFile schedule = TRY(open_schedule(key.uid));
    OpenFile file{::openat(schedule.number(), name.c_str(), flags, file_mode)};
    if (file.number() < 0) return cannot("open the log", folder + "/" + name, errno);
    struct stat status{};
    if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
      return fail(ErrorCode::corrupt, "the log {}/{}/{} is not a file", path_.native(), folder, name);
    return file;
  };
  auto file = try_once();
  // The folder may have been removed, being empty, between its making and its use.
  if (!file && file.error().code == ErrorCode::not_found && access == Access::append) file = try_once();
  return file;
}

Result<std::string> LogFolder::read_file(const LogKey& key) const {
  const OpenFile file = TRY(open_file(key, Access::read));
  std::string bytes;
  while (bytes.size() <= file_size_max) {
    const std::size_t size = bytes.size();
    bytes.resize(size + 128 * 1024);
    const ssize_t count = ::read(file.number(), bytes.data() + size, bytes.size() - size);
    const int error = errno;
    bytes.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return bytes;
    if (count < 0 && error != EINTR) return cannot("read the log", file_name(key.attempt), error);
  }
  return fail(ErrorCode::corrupt, "the log {}/{} is larger than any log", folder_name(key.uid), file_name(key.attempt));
}

Result<> LogFolder::sync_names(Uid uid) const {
  const OpenFile schedule = TRY(open_schedule(uid));
  if (::fsync(schedule.number()) != 0 || ::fsync(root_.number()) != 0)
    return cannot("write out the folder", folder_name(uid), errno);
  return {};
}

Result<> LogFolder::remove(Uid uid, const std::vector<Seq>& runs) const {
  auto schedule = open_schedule(uid);
  if (!schedule && schedule.error().code == ErrorCode::not_found) return {};
  if (!schedule) return std::unexpected(std::move(schedule).error());
  std::vector<Seq> sorted = runs;
  std::ranges::sort(sorted);
  const FolderNames names = list_of(*schedule);
  if (!names) return cannot("list the folder", folder_name(uid), errno);
  bool is_empty = true;
  while (const dirent* entry = ::readdir(names.get())) {
    const auto run = run_of(entry->d_name);
    const bool is_removed = run && std::ranges::binary_search(sorted, *run);
    if (run && !is_removed) is_empty = false;
    if (is_removed && ::unlinkat(schedule->number(), entry->d_name, 0) != 0 && errno != ENOENT)
      return cannot("remove the log", entry->d_name, errno);
  }
  if (is_empty) ::unlinkat(schedule->number(), trimmed_name, 0);
  const bool is_gone = ::unlinkat(root_.number(), folder_name(uid).c_str(), AT_REMOVEDIR) == 0;
  if (!is_gone && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT)
    return cannot("remove the folder", folder_name(uid), errno);
  return {};
}

Result<> LogFolder::trim(Uid uid, Seq newest, std::int64_t size_max) const {
  const auto schedule = open_schedule(uid);
  if (!schedule && schedule.error().code == ErrorCode::not_found) return {};
  if (!schedule) return std::unexpected(schedule.error());
  const FolderNames names = list_of(*schedule);
  if (!names) return cannot("list the folder", folder_name(uid), errno);
  std::vector<SizedFile> files;
  while (const dirent* entry = ::readdir(names.get())) {
    const auto run = run_of(entry->d_name);
    if (run && *run <= newest) files.push_back({*run, entry->d_name, disk_space_of(*schedule, entry->d_name)});
  }
  std::ranges::sort(files, std::ranges::greater{}, &SizedFile::run);
  std::int64_t size = 0;
  const auto first = std::ranges::find_if(files, [&](const SizedFile& file) { return (size += file.size) > size_max; });
  if (first == files.end()) return {};
  // Written down first, so that nobody takes a log that is gone for one that never was.
  TRY(note_trimmed(*schedule, first->run));
  for (const SizedFile& file : std::ranges::subrange{first, files.end()}) {
    if (::unlinkat(schedule->number(), file.name.c_str(), 0) != 0 && errno != ENOENT)
      return cannot("remove the log", file.name, errno);
  }
  return {};
}

Result<> LogFolder::note_trimmed(const OpenFile& schedule, Seq run) const {
  const OpenFile file{
      ::openat(schedule.number(), trimmed_name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, file_mode)};
  if (file.number() < 0) return cannot("write", trimmed_name, errno);
  return append_to(file, std::to_string(static_cast<std::int64_t>(run)), 0);
}

bool LogFolder::is_trimmed(const LogKey& key) const {
  const auto schedule = open_schedule(key.uid);
  if (!schedule) return false;
  const OpenFile file{::openat(schedule->number(), trimmed_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  std::array<char, 24> text{};
  const ssize_t count = file.number() < 0 ? 0 : ::read(file.number(), text.data(), text.size());
  std::int64_t run = 0;
  std::from_chars(text.data(), text.data() + std::max<ssize_t>(count, 0), run);
  return key.attempt.run <= Seq{run};
}

std::unexpected<Error> LogFolder::cannot(std::string_view do_what, std::string_view name, int error) const {
  return failed_to(do_what, fmt::format("{}/{}", path_.native(), name), error);
}

Result<> append_to(const OpenFile& file, std::string_view bytes, std::int64_t size_before) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = count < 0 ? errno : ENOSPC;
      static_cast<void>(::ftruncate(file.number(), size_before));
      return fail(ErrorCode::unavailable, "cannot write a log: {}", std::generic_category().message(error));
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace carillon
