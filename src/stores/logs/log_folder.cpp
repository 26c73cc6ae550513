#include "stores/logs/log_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
  // The list takes a descriptor for itself.
  const std::unique_ptr<DIR, int (*)(DIR*)> names{::fdopendir(::fcntl(schedule->number(), F_DUPFD_CLOEXEC, 0)),
                                                  ::closedir};
  if (!names) return cannot("list the folder", folder_name(uid), errno);
  while (const dirent* entry = ::readdir(names.get())) {
    const auto run = run_of(entry->d_name);
    if (!run || !std::ranges::binary_search(sorted, *run)) continue;
    if (::unlinkat(schedule->number(), entry->d_name, 0) != 0 && errno != ENOENT)
      return cannot("remove the log", entry->d_name, errno);
  }
  const bool is_gone = ::unlinkat(root_.number(), folder_name(uid).c_str(), AT_REMOVEDIR) == 0;
  if (!is_gone && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT)
    return cannot("remove the folder", folder_name(uid), errno);
  return {};
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
