#include "executors/process/system_calls.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <system_error>

namespace carillon {
namespace {

// Newer kernels want to hear that such a file is no program, and may refuse one that does not say so.
constexpr unsigned int no_program = 0x0008;

int open_memory_file(const char* name) {
  const int file = ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | no_program);
  return file >= 0 || errno != EINVAL ? file : ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool write_bytes(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Duration boot_now() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::duration_cast<Duration>(std::chrono::nanoseconds{now.tv_nsec});
}

Instant wall_now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

std::string error_text(int number) { return std::generic_category().message(number); }

Error system_error(std::string_view what) {
  return fail(ErrorCode::unavailable, "{}: {}", what, error_text(errno)).error();
}

Result<FileDescriptor> memory_file(const char* name, std::string_view bytes) {
  FileDescriptor file{open_memory_file(name)};
  if (!file.is_open() || !write_bytes(file.get(), bytes) || ::lseek(file.get(), 0, SEEK_SET) != 0)
    return std::unexpected(system_error("cannot make a file in memory"));
  ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  return file;
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(system_error("cannot make a pipe"));
  Pipe pipe{.reader = FileDescriptor{ends[0]}, .writer = FileDescriptor{ends[1]}};
  if (::fcntl(pipe.reader.get(), F_SETFL, O_RDONLY | O_NONBLOCK) != 0)
    return std::unexpected(system_error("cannot make a pipe"));
  return pipe;
}

FileDescriptor open_process(pid_t pid) { return FileDescriptor{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))}; }

bool signal_process(const FileDescriptor& process, int signal) {
  return process.is_open() && ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0;
}

}  // namespace carillon
