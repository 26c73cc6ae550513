#include "packages/scheduler_lock.hpp"

#include "document/document.hpp"
#include "document/reader.hpp"
#include "packages/millisecond_text.hpp"
#include "pipeline/json_text.hpp"

#include <boost/json/object.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

namespace carillon::packages {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t lock_text_size_max = 4 * 1024;
/// How often a file may be removed by its last holder between opening and locking it.
constexpr int acquire_try_count_max = 10;

std::unexpected<Error> cannot_use(std::string_view what, const fs::path& path) {
  return fail(ErrorCode::unavailable, "cannot {} {}: {}", what, path.string(), std::strerror(errno));
}

bool is_alive(pid_t pid) { return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM); }

/// Whether the name still leads to the open file.
bool is_same_file(const fs::path& path, int file) {
  struct stat named{};
  struct stat opened{};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(file, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

std::optional<LockHolder> holder_in(int file) {
  std::array<char, lock_text_size_max> bytes{};
  const ssize_t count = ::pread(file, bytes.data(), bytes.size(), 0);
  if (count <= 0) return std::nullopt;
  auto holder = read_lock_holder({bytes.data(), static_cast<std::size_t>(count)});
  return holder ? std::optional{*std::move(holder)} : std::nullopt;
}

std::unexpected<Error> held_by(const std::optional<LockHolder>& holder, const fs::path& path) {
  const std::string who =
      holder ? fmt::format("pid {} on host {} since {}", holder->pid, holder->hostname, to_text(holder->started_at))
             : std::string{"another process"};
  Error error = fail(ErrorCode::conflict, "another scheduler has this folder: {} ({})", who, path.string()).error();
  error.hint = "stop it, or start this one on another folder";
  return std::unexpected(std::move(error));
}

/// Whether what the file says keeps others out though nobody holds the lock: a scheduler that knows only the file.
bool is_in_use(const LockHolder& holder, const ProcessIdentity& self, Instant now, Duration heartbeat_age_max) {
  // A time that lies far ahead is as wrong as one that is long over.
  if (std::chrono::abs(now - holder.heartbeat) >= heartbeat_age_max) return false;
  if (holder.hostname != self.hostname) return true;
  return holder.pid != self.pid && is_alive(holder.pid);
}

Result<FileDescriptor> open_lock_file(const fs::path& path) {
  FileDescriptor file{::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644)};
  if (!file.is_open()) return cannot_use("open", path);
  struct stat facts{};
  if (::fstat(file.get(), &facts) != 0) return cannot_use("look at", path);
  if (!S_ISREG(facts.st_mode)) return fail(ErrorCode::unavailable, "{} is no regular file", path.string());
  return file;
}

enum class LockAttempt { locked, held };

Result<LockAttempt> try_lock(int file, const fs::path& path) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file, F_OFD_SETLK, &lock) == 0) return LockAttempt::locked;
  if (errno == EAGAIN || errno == EACCES) return LockAttempt::held;
  return cannot_use("lock", path);
}

}  // namespace

std::string write_lock_holder(const LockHolder& holder) {
  return pipeline::indented(boost::json::object{{"pid", static_cast<std::int64_t>(holder.pid)},
                                                {"hostname", holder.hostname},
                                                {"startedAt", text_with_milliseconds(holder.started_at)},
                                                {"heartbeat", text_with_milliseconds(holder.heartbeat)}}) +
         "\n";
}

Result<LockHolder> read_lock_holder(std::string_view text) {
  const auto document = TRY(parse_json(text));
  Problems problems;
  ObjectReader reader{document, "", problems};
  const auto pid = reader.integer("pid");
  const auto hostname = reader.text("hostname");
  const auto started_at = reader.instant("startedAt");
  const auto heartbeat = reader.instant("heartbeat");
  if (!pid || !hostname || !started_at || !heartbeat)
    return fail(ErrorCode::corrupt, "it does not say pid, hostname, startedAt and heartbeat");
  return LockHolder{.pid = static_cast<pid_t>(*pid),
                    .hostname = std::string{*hostname},
                    .started_at = *started_at,
                    .heartbeat = *heartbeat};
}

ProcessIdentity own_identity() {
  std::array<char, 65> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return {.pid = ::getpid(), .hostname = host.data()};
}

Result<SchedulerLock> SchedulerLock::acquire(const fs::path& folder, Clock& clock, const ProcessIdentity& self,
                                             Duration heartbeat_age_max) {
  const fs::path path = folder / lock_file_name;
  for (int i = 0; i < acquire_try_count_max; ++i) {
    FileDescriptor file = TRY(open_lock_file(path));
    if (TRY(try_lock(file.get(), path)) == LockAttempt::held) return held_by(holder_in(file.get()), path);
    // Its last holder has removed it meanwhile: the lock on it keeps nobody out.
    if (!is_same_file(path, file.get())) continue;
    const auto holder = holder_in(file.get());
    const Instant now = clock.now();
    if (holder && is_in_use(*holder, self, now, heartbeat_age_max)) return held_by(holder, path);
    SchedulerLock lock{
        path, std::move(file), {.pid = self.pid, .hostname = self.hostname, .started_at = now, .heartbeat = now}};
    TRY(lock.beat(now));
    return lock;
  }
  return fail(ErrorCode::unavailable, "{} is made and removed again all the time", path.string());
}

SchedulerLock::~SchedulerLock() {
  if (file_.is_open() && is_same_file(path_, file_.get())) ::unlink(path_.c_str());
}

Result<> SchedulerLock::beat(Instant now) {
  holder_.heartbeat = now;
  const std::string text = write_lock_holder(holder_);
  // In place, and of equal length each time: whoever reads meanwhile finds a whole text.
  if (::pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(file_.get(), static_cast<off_t>(text.size())) != 0)
    return cannot_use("write", path_);
  if (!is_same_file(path_, file_.get()))
    return fail(ErrorCode::unavailable, "{} was removed or replaced", path_.string());
  return {};
}

}  // namespace carillon::packages
