#include "executors/process/launcher_lock.hpp"

#include "executors/process/system_calls.hpp"
#include "files/private_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>

namespace carillon {
namespace {

// How often the lock itself is looked at while waiting. It matters only where the launcher's number means nothing: in
// another container that shares the folder.
constexpr Duration lock_look_interval = std::chrono::milliseconds{100};

struct flock whole_file() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

pid_t holder_of(int file) {
  std::array<char, 32> text{};
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  pid_t pid = 0;
  if (count > 0) std::from_chars(text.data(), text.data() + count, pid);
  return pid;
}

Result<bool> is_locked(int file) {
  struct flock lock = whole_file();
  if (::fcntl(file, F_OFD_GETLK, &lock) != 0)
    return std::unexpected(system_error("cannot look at the launcher's lock"));
  return lock.l_type != F_UNLCK;
}

/// Closed if there is no such file.
Result<FileDescriptor> open_to_look(const std::filesystem::path& path) {
  auto file = open_private_file(path);
  if (!file && file.error().code == ErrorCode::not_found) return FileDescriptor{};
  return file;
}

}  // namespace

Result<FileDescriptor> lock_launcher_file(const std::filesystem::path& path) {
  FileDescriptor file = TRY(while_doing(open_or_create_private_file(path), "opening the launcher's lock"));
  struct flock lock = whole_file();
  if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) {
    if (errno != EAGAIN && errno != EACCES) return std::unexpected(system_error("cannot take the launcher's lock"));
    return fail(ErrorCode::conflict, "the launcher {} of another or a crashed server is still running",
                holder_of(file.get()));
  }
  // For those who wait, and for people who look; the lock alone decides.
  const std::string pid = std::to_string(::getpid()) + '\n';
  if (::ftruncate(file.get(), 0) != 0 || ::pwrite(file.get(), pid.data(), pid.size(), 0) < 0)
    return std::unexpected(system_error("cannot write the launcher's lock"));
  return file;
}

Result<bool> is_launcher_alive(const std::filesystem::path& path) {
  const FileDescriptor file = TRY(open_to_look(path));
  if (!file.is_open()) return false;
  return is_locked(file.get());
}

Result<> wait_until_gone(const std::filesystem::path& path, Duration time_max) {
  const FileDescriptor file = TRY(open_to_look(path));
  if (!file.is_open()) return {};
  const Duration end = boot_now() + time_max;
  const FileDescriptor launcher = open_process(holder_of(file.get()));
  while (TRY(is_locked(file.get()))) {
    const Duration left = end - boot_now();
    if (left <= Duration::zero())
      return fail(ErrorCode::unavailable, "the launcher {} is still running", holder_of(file.get()));
    const auto pause = std::chrono::ceil<std::chrono::milliseconds>(std::min(left, lock_look_interval));
    pollfd end_of_launcher{.fd = launcher.get(), .events = POLLIN, .revents = 0};
    ::poll(&end_of_launcher, 1, static_cast<int>(pause.count()));
  }
  return {};
}

}  // namespace carillon
