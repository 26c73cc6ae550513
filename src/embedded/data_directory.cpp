#include "embedded/data_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace carillon {
namespace {

std::unexpected<Error> refused(std::string_view what, const std::filesystem::path& path) {
  return fail(ErrorCode::unavailable, "{} {}: {}", what, path.string(), std::strerror(errno));
}

// "pid 4711 on host bell": left there by whoever has the lock.
std::string holder_of(int file) {
  std::array<char, 200> text{};
  const auto count = ::pread(file, text.data(), text.size(), 0);
  return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count)) : "another process";
}

void sign(int file) {
  std::array<char, 65> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("pid {} on host {}", ::getpid(), host.data());
  // Only for people: the lock itself does not depend on it.
  if (::ftruncate(file, 0) == 0) (void)!::pwrite(file, text.data(), text.size(), 0);
}

Result<> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path().empty() ? "." : folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return refused("cannot make the folder", folder);
  struct stat facts{};
  if (::stat(folder.c_str(), &facts) != 0) return refused("cannot look at", folder);
  if (!S_ISDIR(facts.st_mode)) return fail(ErrorCode::invalid_argument, "{} is not a folder", folder.string());
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(ErrorCode::invalid_argument, "others may write to {}; take that right away: chmod go-w {}",
                folder.string(), folder.string());
  return {};
}

}  // namespace

Result<DataDirectory> DataDirectory::take(const std::filesystem::path& folder) {
  TRY(make_folder(folder));
  const auto path = std::filesystem::absolute(folder).lexically_normal();
  const auto lock_path = path / "lock";
  const int file = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return refused("cannot open", lock_path);
  // Of the open file, not of the process: it ends with the last descriptor, and forked children do not have it.
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file, F_OFD_SETLK, &lock) != 0) {
    const bool is_held = errno == EAGAIN || errno == EACCES;
    auto error = is_held ? fail(ErrorCode::conflict, "{} is in use by {}", path.string(), holder_of(file))
                         : refused("cannot lock", lock_path);
    ::close(file);
    return error;
  }
  sign(file);
  return DataDirectory{path, file};
}

Result<> DataDirectory::expect_database() const {
  std::error_code ignored;
  if (!std::filesystem::exists(run_id_key(), ignored)) return {};
  const auto size = std::filesystem::file_size(database(), ignored);
  if (!ignored && size > 0) return {};
  return fail(ErrorCode::corrupt,
              "{} has been in use, but its database {} is gone; restore it from a backup, or name another folder",
              path_.string(), database().filename().string());
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_{std::move(other.path_)}, lock_{std::exchange(other.lock_, -1)} {}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace carillon
