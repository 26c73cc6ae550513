#include "data_folder/data_directory.hpp"

#include "files/private_file.hpp"
#include "files/private_folder.hpp"

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

/// One that an earlier version made for everybody to read becomes private.
Result<> make_private(const FileDescriptor& file, const std::filesystem::path& path) {
  return ::fchmod(file.get(), 0600) == 0 ? Result<>{} : refused("cannot change the mode of", path);
}

/// Before anything is concluded from what is there: a link or a FIFO says nothing about the folder.
Result<> check_files(const std::filesystem::path& folder) {
  for (const std::string_view name :
       {"carillon.db", "carillon.db-wal", "carillon.db-shm", "run-id.key", "audit.key", "admin.token"}) {
    const auto file = open_private_file(folder / name);
    if (!file && file.error().code != ErrorCode::not_found) return std::unexpected(file.error());
  }
  return {};
}

}  // namespace

Result<DataDirectory> DataDirectory::take(const std::filesystem::path& folder) {
  const auto path = TRY(make_private_folder(folder));
  const auto lock_path = path / "lock";
  FileDescriptor file = TRY(open_or_create_private_file(lock_path));
  // Of the open file, not of the process: it ends with the last descriptor, and forked children do not have it.
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) {
    const bool is_held = errno == EAGAIN || errno == EACCES;
    return is_held ? fail(ErrorCode::conflict, "{} is in use by {}", path.string(), holder_of(file.get()))
                   : refused("cannot lock", lock_path);
  }
  TRY(check_files(path));
  sign(file.get());
  return DataDirectory{path, std::move(file)};
}

Result<> DataDirectory::expect_database() const {
  std::error_code ignored;
  if (!std::filesystem::exists(run_id_key(), ignored)) return {};
  const auto size = std::filesystem::file_size(database(), ignored);
  if (!ignored && size > 0) return {};
  return fail(
      ErrorCode::corrupt,
      "{} has been used before, but its database {} is missing; restore it from a backup, or choose another folder",
      path_.string(), database().filename().string());
}

Result<> DataDirectory::protect_database() const {
  TRY(make_private(TRY(open_or_create_private_file(database())), database()));
  for (const std::string_view ending : {"-wal", "-shm"}) {
    const std::filesystem::path file = database().string() + std::string{ending};
    const auto opened = open_private_file(file);
    if (!opened && opened.error().code == ErrorCode::not_found) continue;
    if (!opened) return std::unexpected(opened.error());
    TRY(make_private(*opened, file));
  }
  return {};
}

}  // namespace carillon
