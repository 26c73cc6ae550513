#include "files/beneath.hpp"

#include "base/quoted.hpp"
#include "files/private_file.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace carillon {
namespace {

namespace fs = std::filesystem;

/// How often a path is tried again while folders in it are being moved.
constexpr int beneath_try_count_max = 100;

std::unexpected<Error> not_opened_beneath(const fs::path& path, int number) {
  const std::string name = carillon::quoted(path.native());
  if (number == ENOENT || number == ENOTDIR) return fail(ErrorCode::not_found, "there is no {}", name);
  if (number != EXDEV && number != ELOOP)
    return fail(ErrorCode::unavailable, "cannot open {}: {}", name, std::strerror(number));
  Error error = fail(ErrorCode::invalid_argument, "{} leads out of the folder", name).error();
  error.rule = "outside-folder";
  return std::unexpected(std::move(error));
}

Result<FileDescriptor> open_beneath(int folder, const fs::path& path, int flags) {
  struct open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (int i = 0; i < beneath_try_count_max; ++i) {
    const long opened = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (opened >= 0) return FileDescriptor{static_cast<int>(opened)};
    if (errno != EAGAIN && errno != EINTR) return not_opened_beneath(path, errno);
  }
  return not_opened_beneath(path, EAGAIN);
}

}  // namespace

Result<FileDescriptor> open_folder(const fs::path& folder) {
  FileDescriptor opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!opened.is_open()) return not_opened_beneath(folder, errno);
  return opened;
}

Result<FileDescriptor> open_folder_beneath(int folder, const fs::path& path) {
  return open_beneath(folder, path, O_RDONLY | O_DIRECTORY);
}

Result<FileDescriptor> open_file_beneath(int folder, const fs::path& path) {
  FileDescriptor opened = TRY(open_beneath(folder, path, O_RDONLY));
  struct stat facts{};
  if (::fstat(opened.get(), &facts) != 0) return not_opened_beneath(path, errno);
  if (!S_ISREG(facts.st_mode))
    return fail(ErrorCode::invalid_argument, "{} is no regular file", carillon::quoted(path.native()));
  return opened;
}

Result<std::string> read_file_beneath(int folder, const fs::path& path, std::size_t size_max) {
  const FileDescriptor file = TRY(open_file_beneath(folder, path));
  return read_open_file(file.get(), path, size_max);
}

}  // namespace carillon
